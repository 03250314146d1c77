/** Messages outside of the thread's window: those in local storage, those that only the server has, and bookmarked ones. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { maxBookmarkWindow, maxMessageWindow } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { options } from './query-options.ts'
import { readableRows } from './readable-message.ts'
import type { BookmarkRow, ThreadRow, ThreadWithMessages } from './rows.ts'

const noThreads: readonly ThreadWithMessages[] = []

/** The newest threads with their locally stored messages; empty unless `isWanted`. */
export function useRecentThreads(isWanted: boolean): readonly ThreadWithMessages[] {
  const zero = useZero()
  const [rows] = useQuery(isWanted && queries.threads.recent(), options)
  const [threads, setThreads] = useState(noThreads)
  useEffect(() => {
    if (!rows) return undefined
    let isCurrent = true
    const read = rows.map(async (row) => ({
      ...row,
      messages: readableRows(await zero.run(queries.messages.newest({ threadId: row.id, limit: maxMessageWindow }))),
    }))
    void Promise.all(read).then((next) => isCurrent && setThreads(next))
    return () => {
      isCurrent = false
    }
  }, [zero, rows])
  return isWanted ? threads : noThreads
}

/** Reads a thread with all its messages, from the server unless the start of the shown branch is stored locally. */
export function useWholeThread(): (thread: ThreadWithMessages, isWhole: boolean) => Promise<ThreadWithMessages> {
  const zero = useZero()
  return useCallback(
    async (thread, isWhole) => {
      if (isWhole) return thread
      const messages = await zero.run(queries.messages.newest({ threadId: thread.id, limit: maxMessageWindow }), { type: 'complete' })
      return { ...thread, messages: readableRows(messages) }
    },
    [zero],
  )
}

/** Reads the last answer of a thread from the rows in this browser. Null if this browser does not have it. */
export function useLastAnswer(): (thread: ThreadRow) => Promise<AnswerMessage | null> {
  const zero = useZero()
  return useCallback(
    async ({ headId }) => {
      const rows = headId == null ? [] : await zero.run(queries.messages.byIds({ messageIds: [headId] }))
      const message = readableRows(rows)[0]?.message
      return message?.role === 'assistant' ? message : null
    },
    [zero],
  )
}

type Bookmarks = { readonly bookmarks: readonly BookmarkRow[]; readonly isComplete: boolean; readonly hasMore: boolean }

/** Newest bookmark first. */
export function useBookmarks(limit: number): Bookmarks {
  const [rows, { type }] = useQuery(queries.messages.bookmarked({ limit }), options)
  const bookmarks = useMemo(() => readableRows(rows.flatMap(({ thread, ...row }) => (thread ? [{ ...row, thread }] : []))), [rows])
  return { bookmarks, isComplete: type === 'complete', hasMore: rows.length >= limit && limit < maxBookmarkWindow }
}
