/** Checks of deletions: the remaining undo time, hidden follow-ups, permanent deletion, and which deletions this page made. */
import type { Zero } from '@rocicorp/zero'
import { useZero } from '@rocicorp/zero/react'
import { useCallback } from 'react'
import { maxMessageWindow, undoToastMs } from '../../worker/contract/limits.ts'
import { queries } from '../../worker/contract/queries.ts'
import { withMoreBelow } from '../../worker/contract/threads/more-below.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import type { Deletion } from './deletions.ts'

/**
 * Resolves with true if the server returns neither the thread nor a deletion of it that can still be undone, or could `marginMs` ago. The thread
 * is read again at the end, because a deletion or an undo may come between the reads.
 */
export async function isPermanentlyDeleted(zero: Zero, threadId: string, marginMs = 0): Promise<boolean> {
  const isMissing = async () => (await zero.run(queries.threads.one({ threadId }), { type: 'complete' })) === undefined
  if (!(await isMissing())) return false
  // Chosen: twice the undo time, because the estimated server time may be wrong.
  const since = Math.max(0, serverNowMs() - 2 * undoToastMs)
  const deleted = await zero.run(queries.threads.deleted({ since }), { type: 'complete' })
  const isRestorable = deleted.some(({ id, deletedAt }) => id === threadId && undoLeftMs(deletedAt ?? 0) + marginMs > 0)
  return !isRestorable && isMissing()
}

export function useIsPermanentlyDeleted(): (threadId: string) => Promise<boolean> {
  const zero = useZero()
  return useCallback((threadId) => isPermanentlyDeleted(zero, threadId), [zero])
}

/** True if the deletion also hid messages below the message and its answer. */
export function useHasHiddenFollowUps(): (deletion: Deletion) => Promise<boolean> {
  const zero = useZero()
  return useCallback(
    async ({ kind, id, threadId }) => {
      if (kind === 'thread') return false
      // Local rows only; waiting for the server would delay the undo toast.
      // If the read fails, the toast says only that the message was deleted.
      const messages = await zero.run(queries.messages.newest({ threadId, limit: maxMessageWindow })).catch(() => [])
      return withMoreBelow(messages).has(id)
    },
    [zero],
  )
}

/**
 * Remaining undo time by the estimated server time, at most `undoToastMs`. `deletedAt` is the device's time until the server confirms the
 * deletion.
 */
export const undoLeftMs = (deletedAt: number, nowMs = serverNowMs()): number => Math.min(undoToastMs, deletedAt + undoToastMs - nowMs)

/** `onUndo` runs when the user undoes the deletion. Threads deleted together share `groupId`. */
type OwnDeletion = { readonly onUndo: () => void; readonly groupId: string }
/** Deletions that this page made, by thread or message id. */
const ownDeletions = new Map<string, OwnDeletion>()

export const recordOwnDeletion = (id: string, onUndo: () => void = () => {}, groupId = id): void =>
  void ownDeletions.set(id, { onUndo, groupId })

/** Undefined for a deletion of another page, and after the deletion was undone or rejected. */
export const ownDeletion = (id: string): OwnDeletion | undefined => ownDeletions.get(id)

export const removeOwnDeletion = (id: string): void => void ownDeletions.delete(id)
