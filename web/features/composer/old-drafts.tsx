/** Drops what was being written in threads that are gone for longer than they can be brought back, deleted here or elsewhere. Draws nothing. */
import { useEffect } from 'react'
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { forgetThread, keptThreads } from '../../stores/kept-threads.ts'
import { useDeletions, useIsGone } from '../../sync/deletions.ts'
import { useConnection } from '../../sync/hooks.ts'

/** Ours: as long as a thread can be brought back, and a moment more for a clock that is ahead. */
const lookAfterMs = undoToastMs + 5000

export function OldDrafts() {
  const isGone = useIsGone()
  const isConnected = useConnection().status === 'connected'
  const deletedIds = useDeletions()
    .flatMap(({ kind, id }) => (kind === 'thread' ? [id] : []))
    .join()
  // Once a page, and again after each deletion.
  // biome-ignore lint/correctness/useExhaustiveDependencies(deletedIds): a deletion is a reason to look again
  useEffect(() => {
    if (!isConnected) return undefined
    let isCurrent = true
    const look = async () => {
      // One after the other: nobody waits for it. What fails is looked at by the next page.
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
