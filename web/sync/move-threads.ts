/** Threads in bulk: writing those of an import, and reading those of an export. */
import { useZero } from '@rocicorp/zero/react'
import { useCallback, useMemo } from 'react'
import { maxMessageWindow } from '../../worker/contract/limits.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import type { ImportedThread } from '../../worker/contract/threads/import-args.ts'
import { type Outcome, outcomeFrom } from './outcome.ts'
import { readableRows } from './readable-message.ts'
import type { ThreadWithMessages } from './rows.ts'

export type ThreadImporter = {
  /** Resolves when the server has stored the threads, or refused them. */
  readonly write: (threads: readonly ImportedThread[]) => Promise<Outcome>
  /** `updatedAt` of the threads with these ids that the server has, by id. A deleted thread is never older than a file. */
  readonly stored: (threadIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  readonly hasMessage: (messageId: string) => Promise<boolean>
}

export function useThreadImporter(): ThreadImporter {
  const zero = useZero()
  return useMemo(
    () => ({
      write: async (threads) => {
        const { client, server } = zero.mutate(mutators.threads.import({ threads: [...threads] }))
        const early = outcomeFrom(await client)
        return early.ok ? outcomeFrom(await server) : early
      },
      stored: async (threadIds) => {
        const rows = await zero.run(queries.threads.imported({ threadIds: [...threadIds] }), { type: 'complete' })
        return new Map(rows.map(({ id, updatedAt, deletedAt }) => [id, deletedAt == null ? updatedAt : Number.POSITIVE_INFINITY]))
      },
      hasMessage: async (messageId) => {
        const rows = await zero.run(queries.messages.byIds({ messageIds: [messageId] }), { type: 'complete' })
        return rows.length > 0
      },
    }),
    [zero],
  )
}

/** Reads threads with all their messages from the server. Skips threads that do not exist. */
export function useLoadThreads(): (threadIds: readonly string[]) => Promise<readonly ThreadWithMessages[]> {
  const zero = useZero()
  return useCallback(
    async (threadIds) => {
      const loaded = await Promise.all(
        threadIds.map(async (threadId) => {
          const thread = await zero.run(queries.threads.one({ threadId }), { type: 'complete' })
          const messages = await zero.run(queries.messages.newest({ threadId, limit: maxMessageWindow }), { type: 'complete' })
          return thread && { ...thread, messages: readableRows(messages.toReversed()) }
        }),
      )
      return loaded.filter((thread) => thread !== undefined)
    },
    [zero],
  )
}
