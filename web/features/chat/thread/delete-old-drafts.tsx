/** Deletes drafts of threads that were deleted, on any device, longer ago than Undo allows. Renders nothing. */
import { useEffect } from 'react'
import { undoToastMs } from '../../../../worker/contract/limits.ts'
import { useIsPermanentlyDeleted } from '../../../sync/deletion-checks.ts'
import { useDeletions } from '../../../sync/deletions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { deleteDraft } from '../composer/drafts.ts'
import { chooseTurnMode } from '../composer/next-turn.ts'
import { closeQueuedEdit, queuedEdits } from '../queue/queued-edits.ts'
import { threadsWithLocalData } from './stored-threads.ts'

/** Chosen: as long as Undo is possible, and a margin for clock skew. */
const checkAfterMs = undoToastMs + 5000

export function DeleteOldDrafts() {
  const isPermanentlyDeleted = useIsPermanentlyDeleted()
  const isConnected = useConnection().status === 'connected'
  const deletedIds = useDeletions()
    .flatMap(({ kind, id }) => (kind === 'thread' ? [id] : []))
    .join()
  // Once per page, and again after each deletion.
  // biome-ignore lint/correctness/useExhaustiveDependencies(deletedIds): a deletion is a reason to check again
  useEffect(() => {
    if (!isConnected) return undefined
    let isCurrent = true
    const check = async () => {
      // Sequential, because nothing waits for it. The next page load retries failures.
      for (const id of threadsWithLocalData()) {
        if (!isCurrent) return
        if (await isPermanentlyDeleted(id).catch(() => false)) deleteThreadData(id)
      }
    }
    const timer = setTimeout(() => void check(), checkAfterMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [isConnected, deletedIds, isPermanentlyDeleted])
  return null
}

/** For a permanently deleted thread. */
export function deleteThreadData(threadId: string): void {
  deleteDraft(threadId)
  chooseTurnMode(threadId, 'chat')
  for (const [id, edit] of queuedEdits.get()) if (edit.threadId === threadId) closeQueuedEdit(id)
}
