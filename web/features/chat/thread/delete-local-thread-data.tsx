/** Deletes local data (drafts, open queue editors) of threads that are permanently deleted. Renders nothing. */
import { useEffect } from 'react'
import { undoToastMs } from '../../../../worker/contract/limits.ts'
import { useIsPermanentlyDeleted } from '../../../sync/deletion-checks.ts'
import { useDeletions } from '../../../sync/deletions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { deleteDraft } from '../composer/drafts.ts'
import { closeQueuedEdit, queuedEdits } from '../queue/queued-edits.ts'
import { threadsWithLocalData } from './stored-threads.ts'

/** Chosen: the undo time, and 5 s for clock errors. */
const checkAfterMs = undoToastMs + 5000

export function DeleteLocalThreadData() {
  const isPermanentlyDeleted = useIsPermanentlyDeleted()
  const isConnected = useConnection().status === 'connected'
  const deletedIds = useDeletions()
    .flatMap(({ kind, id }) => (kind === 'thread' ? [id] : []))
    .join()
  // Runs after each connect and after each deletion.
  // biome-ignore lint/correctness/useExhaustiveDependencies(deletedIds): a deletion is a reason to check again
  useEffect(() => {
    if (!isConnected) return undefined
    let isCurrent = true
    const check = async () => {
      // Sequential, because nothing waits for it. The next check retries failures.
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
  for (const [id, edit] of queuedEdits.get()) if (edit.threadId === threadId) closeQueuedEdit(id)
}
