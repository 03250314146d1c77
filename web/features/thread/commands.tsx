/** What of the open conversation can be done from anywhere. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { Copy, FileText, GitFork, Square } from 'lucide-react'
import { copyText } from '../../lib/clipboard.ts'
import { createId } from '../../lib/create-id.ts'
import { publicUrls } from '../../lib/public-urls.ts'
import { pageShortcuts } from '../../lib/shortcut-table.ts'
import { useActions } from '../../sync/actions.ts'
import { useThread } from '../../sync/hooks.ts'
import type { Command } from '../../ui/command.ts'
import { chordOf } from '../../ui/kbd.tsx'
import { copiedText, lastAnswer, threadMarkdown } from './copied-text.ts'
import { report, reportCopy } from './reports.ts'
import { isBusy, turnsOf } from './turns.ts'

export function useConversationCommands(): readonly Command[] {
  const threadId = useParams({ strict: false, select: (params) => params.threadId })
  const { thread } = useThread(threadId)
  const { fork, stop } = useActions()
  const navigate = useNavigate()
  const { headId } = thread ?? {}
  if (!thread || headId == null) return []
  const turns = turnsOf(thread)
  const answer = lastAnswer(turns)
  const copy = (text: string) => void copyText(text).then(reportCopy)
  const forkIt = async () => {
    const newThreadId = createId()
    const action = fork(thread.id, headId, newThreadId)
    void report(action)
    if ((await action.client).ok) await navigate({ to: '/$threadId', params: { threadId: newThreadId } })
  }
  return [
    ...(isBusy(thread)
      ? [{ id: 'stop', title: 'Stop the answer', icon: <Square aria-hidden="true" />, run: () => void report(stop(thread.id)) }]
      : []),
    ...(answer
      ? [
          {
            id: 'copy-answer',
            title: pageShortcuts.copyAnswer.does,
            icon: <Copy aria-hidden="true" />,
            keys: chordOf(pageShortcuts.copyAnswer),
            run: () => copy(copiedText(answer.message, publicUrls().apiUrl)),
          },
        ]
      : []),
    {
      id: 'copy-thread',
      title: 'Copy thread as Markdown',
      words: 'export',
      icon: <FileText aria-hidden="true" />,
      run: () => copy(threadMarkdown(thread.title, turns, publicUrls().apiUrl)),
    },
    { id: 'fork', title: 'Fork thread', words: 'branch duplicate', icon: <GitFork aria-hidden="true" />, run: () => void forkIt() },
  ]
}
