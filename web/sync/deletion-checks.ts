/** Until when a deletion can be undone, what it hides, and the deletions of this page. */
import { useZero } from '@rocicorp/zero/react'
import { useCallback } from 'react'
import { withMoreBelow } from '../../worker/contract/branches.ts'
import { maxMessageWindow, undoToastMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import type { Deletion } from './deletions.ts'

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

/** The remaining undo time by the server's clock, which dated the deletion; at most the full undo time. */
export const undoLeftMs = (deletedAt: number, nowMs = serverNowMs()): number => Math.min(undoToastMs, deletedAt + undoToastMs - nowMs)

/** Threads that were deleted together have one `group`. */
type OwnDeletion = { readonly whenUndone: () => void; readonly group: string }
/** Deletions made by this page, with the follow-up of their undo. */
const ownDeletions = new Map<string, OwnDeletion>()

export const announceOwnDeletion = (id: string, whenUndone: () => void = () => {}, group = id): void =>
  void ownDeletions.set(id, { whenUndone, group })

/** Undefined for a deletion made by another page. */
export const ownDeletion = (id: string): OwnDeletion | undefined => ownDeletions.get(id)

export const removeOwnDeletion = (id: string): void => void ownDeletions.delete(id)
