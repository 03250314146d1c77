/** Deletes drafts of threads that were deleted, on any device, longer ago than Undo allows. Renders nothing. */
import { useEffect } from 'react'
import { undoToastMs } from '../../../../worker/contract/limits.ts'
import { useDeletions, useIsGone } from '../../../sync/deletions.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { forgetThread, keptThreads } from './stored-threads.ts'

/** Chosen: as long as Undo is possible, and a margin for clock skew. */
const lookAfterMs = undoToastMs + 5000

export function OldDrafts() {
  const isGone = useIsGone()
  const isConnected = useConnection().status === 'connected'
  const deletedIds = useDeletions()
    .flatMap(({ kind, id }) => (kind === 'thread' ? [id] : []))
    .join()
  // Once per page, and again after each deletion.
  // biome-ignore lint/correctness/useExhaustiveDependencies(deletedIds): a deletion is a reason to look again
  useEffect(() => {
    if (!isConnected) return undefined
    let isCurrent = true
    const look = async () => {
      // Sequential, because nothing waits for it. The next page load retries failures.
      for (const id of keptThreads()) {
        if (!isCurrent) return
        if (await isGone(id).catch(() => false)) forgetThread(id)
      }
    }
    const timer = setTimeout(() => void look(), lookAfterMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [isConnected, deletedIds, isGone])
  return null
}
