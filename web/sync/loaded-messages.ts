/** Messages outside of the thread's window: those in local storage, and those that only the server has. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useCallback, useEffect, useState } from 'react'
import { maxMessageWindow, queryTtlMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { readableRows } from './readable-message.ts'
import type { ThreadWithMessages } from './rows.ts'

const noThreads: readonly ThreadWithMessages[] = []

/** The newest threads with their locally stored messages; empty unless `isWanted`. */
export function useRecentThreads(isWanted: boolean): readonly ThreadWithMessages[] {
  const zero = useZero()
  const [rows] = useQuery(isWanted && queries.threads.recent(), { ttl: queryTtlMs })
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
