/** Deletes the drafts of threads that are permanently deleted from this browser. Renders nothing. */
import { useEffect } from 'react'
import { undoToastMs } from '../../../../worker/contract/limits.ts'
import { useIsPermanentlyDeleted } from '../../../sync/deletion-checks.ts'
import { useDeletions } from '../../../sync/deletions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { deleteDraft, threadsWithDrafts } from '../composer/drafts.ts'

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
      for (const id of threadsWithDrafts()) {
        if (!isCurrent) return
        if (await isPermanentlyDeleted(id).catch(() => false)) deleteDraft(id)
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
