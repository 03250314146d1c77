/** One-time queries about a deletion. */
import { useZero } from '@rocicorp/zero/react'
import { useCallback } from 'react'
import { withMoreBelow } from '../../worker/contract/branches.ts'
import { maxMessageWindow, undoToastMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import { type Deletion, undoLeftMs } from './deletions.ts'

/**
 * Resolves with true if a thread is deleted beyond undo: the server has no such row and no recent deletion of it. Waits for the server's
 * response.
 */
export function useIsPermanentlyDeleted(): (threadId: string) => Promise<boolean> {
  const zero = useZero()
  return useCallback(
    async (threadId) => {
      const since = Math.max(0, serverNowMs() - 2 * undoToastMs)
      const [thread, deleted] = await Promise.all([
        zero.run(queries.threads.one({ threadId }), { type: 'complete' }),
        zero.run(queries.threads.deleted({ since }), { type: 'complete' }),
      ])
      return thread === undefined && deleted.every(({ id, deletedAt }) => id !== threadId || undoLeftMs(deletedAt ?? 0) <= 0)
    },
    [zero],
  )
}

/** True if the deletion hid more than the message and its answer, judged by local rows: rows below a deleted one remain. */
export function useHasHiddenFollowUps(): (deletion: Deletion) => Promise<boolean> {
  const zero = useZero()
  return useCallback(
    async ({ kind, id, threadId }) => {
      if (kind === 'thread') return false
      // Local rows only; waiting for the server would delay the undo toast.
      const messages = await zero.run(queries.messages.newest({ threadId, limit: maxMessageWindow })).catch(() => [])
      return withMoreBelow(messages).has(id)
    },
    [zero],
  )
}
