/**
 * Threads for the palette: the newest without a query; for a query all threads by title, the latest by their locally stored messages, and
 * the others when the server has responded.
 */
import { useNavigate } from '@tanstack/react-router'
import { MessageSquare, TextSearch } from 'lucide-react'
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { maxExcludedThreads, maxFindChars, maxThreadWindow, threadPageSize } from '../../../worker/contract/limits.ts'
import { preloadedThreads } from '../../../worker/contract/preload-limits.ts'
import { pathTo } from '../../../worker/contract/threads/branches.ts'
import {
  excerptIn,
  type FoundMessage,
  type FoundMessages,
  filtersMessages,
  isEmptyFilter,
  isWithinTime,
  type SearchFilter,
} from '../../../worker/contract/threads/search.ts'
import { firstPaintText } from '../../lib/i18n/first-paint-text.ts'
import { formatAge } from '../../lib/i18n/format-age.ts'
import { showMessageRequest, useOpenThreadId } from '../../lib/navigation.ts'
import { type SearchAnswer, searchMessages } from '../../lib/search-messages.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { useConnection, useThreadList } from '../../sync/hooks.ts'
import { useRecentThreads } from '../../sync/loaded-messages.ts'
import { useProjects } from '../../sync/organise.ts'
import type { ThreadRow, ThreadWithMessages } from '../../sync/rows.ts'
import type { Command, CommandGroup } from '../../ui/command.ts'
import { ranked } from './rank-commands.ts'
import { t } from './texts/en.ts'

const maxRecent = 6
const maxFound = maxExcludedThreads - preloadedThreads
const idPrefix = 'thread-'

/** The message with the hit, at which the thread opens. */
type Hit = { readonly messageId: string; readonly excerpt: string }

/** The server sends no time and no project of a thread. */
type FoundThread = Pick<ThreadRow, 'id' | 'title'> & Partial<Pick<ThreadRow, 'updatedAt' | 'projectId'>> & { readonly hit?: Hit }

const detailOf = (updatedAtMs: number, project: string | undefined): string =>
  [formatAge(updatedAtMs, serverNowMs()), project].filter((part) => part !== undefined).join(' · ')

type FoundThreads = {
  readonly groups: readonly CommandGroup[]
  /** Results of the server: they arrive late and are listed below the others, so that the active option stays. */
  readonly late: readonly CommandGroup[]
  /** Why results may be missing. */
  readonly note: string | null
  /** More results may arrive. */
  readonly isLooking: boolean
}

export function useFoundThreads(words: readonly string[], filter: SearchFilter): FoundThreads {
  const isSearching = words.length > 0 || !isEmptyFilter(filter)
  const { threads, isComplete } = useThreadList(isSearching ? maxThreadWindow : threadPageSize)
  const recent = useRecentThreads(isSearching)
  const { status } = useConnection()
  const navigate = useNavigate()
  const openThreadId = useOpenThreadId()
  const { projects } = useProjects()
  const commandOf = useCallback(
    ({ id, title, hit, updatedAt, projectId }: FoundThread): Command => ({
      id: `${idPrefix}${id}`,
      title: title || firstPaintText('newThread'),
      icon: hit ? <TextSearch aria-hidden="true" /> : <MessageSquare aria-hidden="true" />,
      ...(hit && { excerpt: hit.excerpt }),
      ...(updatedAt !== undefined && { detail: detailOf(updatedAt, projects.find((project) => project.id === projectId)?.name) }),
      run: () => {
        if (hit) showMessageRequest.set({ threadId: id, messageId: hit.messageId, words })
        void navigate({ to: '/$threadId', params: { threadId: id } })
      },
    }),
    [navigate, words, projects],
  )
  const here = useMemo(() => {
    if (!isSearching) return { byTitle: [], byText: [], known: [] }
    const passing = filtersMessages(filter) ? [] : threads.filter((thread) => passesAsThread(thread, filter))
    const byTitle = ranked(passing.map(commandOf), words).slice(0, maxFound)
    const titled = new Set(byTitle.map(({ id }) => id))
    const byText = recent.flatMap((thread) => {
      const hit = hitIn(thread, words, filter)
      return hit === null || titled.has(`${idPrefix}${thread.id}`) ? [] : [commandOf({ ...thread, hit })]
    })
    // The server, which has all messages, also searches the other recent threads.
    const known = [...byTitle, ...byText].map(({ id }) => id.slice(idPrefix.length))
    return { byTitle, byText, known }
  }, [threads, recent, words, filter, isSearching, commandOf])
  const elsewhere = useServerSearch(words, filter, status === 'offline', here.known)
  return useMemo(() => {
    if (!isSearching) {
      const others = threads.filter(({ id }) => id !== openThreadId).slice(0, maxRecent)
      return { groups: groupOf(t('recentThreads'), others.map(commandOf)), late: [], note: null, isLooking: false }
    }
    const shown = new Set([...here.byTitle, ...here.byText].map(({ id }) => id))
    const byServer = elsewhere.found
      .map(({ threadId, title, ...hit }) => commandOf({ id: threadId, title, hit }))
      .filter(({ id }) => !shown.has(id))
    return {
      groups: [...groupOf(t('threads'), here.byTitle), ...groupOf(t('inLatestThreads'), here.byText)],
      late: groupOf(t('inOtherThreads'), byServer),
      note: elsewhere.note,
      isLooking: elsewhere.isLooking || (!isComplete && status === 'connected'),
    }
  }, [threads, here, elsewhere, isSearching, isComplete, status, openThreadId, commandOf])
}

const groupOf = (name: string, commands: readonly Command[]): readonly CommandGroup[] => (commands.length > 0 ? [{ name, commands }] : [])

const isInProject = ({ projectId }: ThreadRow, filter: SearchFilter): boolean =>
  filter.projectId === undefined || filter.projectId === projectId

/** Without a filter on messages. The thread was active within the time, so it may have a message of that time. */
const passesAsThread = (thread: ThreadRow, { sinceMs, untilMs, ...filter }: SearchFilter): boolean =>
  isInProject(thread, filter) && isWithinTime({ sinceMs }, thread.updatedAt) && isWithinTime({ untilMs }, thread.createdAt)

/**
 * The last matching message of the shown branch. With a filter on messages, a thread whose title has the words is found by any message that
 * passes; without one, it is found by its title alone.
 */
export function hitIn(thread: ThreadWithMessages, words: readonly string[], filter: SearchFilter): Hit | null {
  if (!isInProject(thread, filter)) return null
  const title = thread.title?.toLowerCase() ?? ''
  const isTitled = filtersMessages(filter) && words.every((word) => title.includes(word))
  const path = pathTo(thread.messages, thread.headId).toReversed()
  for (const wanted of isTitled ? [words, []] : [words])
    for (const { id, message, createdAt } of path) {
      const excerpt = excerptIn(message, createdAt ?? 0, wanted, filter)
      if (excerpt !== null) return { messageId: id, excerpt }
    }
  return null
}

/** Chosen: longer than between two keys of a typing user. */
const pauseMs = 150
/** Chosen: after an incomplete answer. */
const repeatMs = 1000

type ServerSearch = {
  readonly found: readonly FoundMessage[]
  /** Why not everything was searched. */
  readonly note: string | null
  readonly isLooking: boolean
}

type SearchQuery = { readonly query: string; readonly filter: SearchFilter }
type Answered = SearchQuery & { readonly answer: SearchAnswer }

const nothing: ServerSearch = { found: [], note: null, isLooking: false }

/**
 * Searches messages that this browser may not have: one request at a time, after a pause in typing. The first searches of a large account answer
 * before everything is indexed, and are repeated. `known`: threads that were searched locally. A change of it causes no new request.
 */
function useServerSearch(words: readonly string[], filter: SearchFilter, isOffline: boolean, known: readonly string[]): ServerSearch {
  const query = words.join(' ').slice(0, maxFindChars)
  const [answered, setAnswered] = useState<Answered | null>(null)
  const search = useEffectEvent((signal: AbortSignal) =>
    searchMessages({ query, filter, without: known.slice(0, maxExcludedThreads) }, signal),
  )
  useEffect(() => {
    if (isNothing({ query, filter }) || isOffline) return undefined
    const request = new AbortController()
    const ask = async () => {
      const answer = await search(request.signal)
      if (!answer || request.signal.aborted) return
      setAnswered({ query, filter, answer })
      if ('found' in answer && !answer.isComplete) timer = setTimeout(ask, repeatMs)
    }
    let timer = setTimeout(ask, pauseMs)
    return () => {
      clearTimeout(timer)
      request.abort()
    }
  }, [query, filter, isOffline])
  return serverSearchOf({ query, filter }, answered, isOffline)
}

const isNothing = ({ query, filter }: SearchQuery): boolean => query === '' && isEmptyFilter(filter)

/** A response for another request is ignored. */
export function serverSearchOf(search: SearchQuery, answered: Answered | null, isOffline: boolean): ServerSearch {
  if (isNothing(search)) return nothing
  if (isOffline) return { ...nothing, note: t('offlineNote') }
  if (answered?.query !== search.query || answered.filter !== search.filter) return { ...nothing, isLooking: true }
  const { answer } = answered
  if ('failed' in answer) return { ...nothing, note: t('failedNote', { reason: answer.failed }) }
  return { ...nothing, found: answer.found, note: noteOn(answer) }
}

function noteOn({ isComplete, isCut }: FoundMessages): string | null {
  if (!isComplete) return t('loadingNote')
  return isCut ? t('cutNote') : null
}
