/** Threads for the palette: the newest at once; for what is typed all of them by title, and the latest by what was said in them. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { MessageSquare, TextSearch } from 'lucide-react'
import { useMemo } from 'react'
import { pathTo } from '../../../worker/contract/branches.ts'
import { maxThreadWindow, threadPageSize } from '../../../worker/contract/limits.ts'
import { textOf } from '../../../worker/contract/messages.ts'
import { excerptOf } from '../../lib/match-words.ts'
import { useConnection, useRecentThreads, useThreadList } from '../../sync/hooks.ts'
import type { ThreadRow, ThreadWithMessages } from '../../sync/rows.ts'
import type { Command, CommandGroup } from '../../ui/command.ts'
import { ranked } from './found.ts'

const maxRecent = 6
const maxFound = 20
const maxExcerptChars = 90

type FoundThreads = {
  readonly groups: readonly CommandGroup[]
  /** More titles are on their way. */
  readonly isLooking: boolean
}

export function useFoundThreads(words: readonly string[]): FoundThreads {
  const isSearching = words.length > 0
  const { threads, isComplete } = useThreadList(isSearching ? maxThreadWindow : threadPageSize)
  const recent = useRecentThreads(isSearching)
  const { status } = useConnection()
  const navigate = useNavigate()
  const openThreadId = useParams({ strict: false, select: ({ threadId }) => threadId })
  return useMemo(() => {
    const commandOf = ({ id, title }: ThreadRow): Command => ({
      id: `thread-${id}`,
      title: title || 'New thread',
      icon: <MessageSquare aria-hidden="true" />,
      run: () => void navigate({ to: '/$threadId', params: { threadId: id } }),
    })
    if (!isSearching) {
      const others = threads.filter(({ id }) => id !== openThreadId).slice(0, maxRecent)
      return { groups: groupOf('Recent threads', others.map(commandOf)), isLooking: false }
    }
    const byTitle = ranked(threads.map(commandOf), words).slice(0, maxFound)
    const known = new Set(byTitle.map(({ id }) => id))
    const byText = recent.flatMap((thread) => {
      const excerpt = excerptIn(thread, words)
      const command = commandOf(thread)
      return excerpt === null || known.has(command.id) ? [] : [{ ...command, icon: <TextSearch aria-hidden="true" />, excerpt }]
    })
    return {
      groups: [...groupOf('Threads', byTitle), ...groupOf('In your latest threads', byText)],
      isLooking: !isComplete && status === 'connected',
    }
  }, [threads, recent, words, isSearching, isComplete, status, openThreadId, navigate])
}

const groupOf = (name: string, commands: readonly Command[]): readonly CommandGroup[] => (commands.length > 0 ? [{ name, commands }] : [])

/** As it is read, roughly. */
const withoutMarks = (markdown: string): string => markdown.replace(/[*`#|~]+/g, '')

/** Of the branch on show, the last message that says it. */
function excerptIn({ messages, headId }: ThreadWithMessages, words: readonly string[]): string | null {
  for (const { message } of pathTo(messages, headId).toReversed()) {
    const excerpt = excerptOf(words, withoutMarks(textOf(message)), maxExcerptChars)
    if (excerpt !== null) return excerpt
  }
  return null
}
