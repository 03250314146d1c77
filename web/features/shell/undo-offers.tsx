/** Undo of deletions, on every device of the user. The toasts' code loads with the first deletion. */
import { useState } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useDeletions } from '../../sync/deletions.ts'

const UndoToasts = lazyPart(() => import('./undo-toasts.tsx').then((module) => module.UndoToasts))

export function UndoOffers() {
  const deletions = useDeletions()
  const [isWanted, setWanted] = useState(false)
  // Stays true: a toast must close when the deletion is undone on another device.
  if (deletions.length > 0 && !isWanted) setWanted(true)
  if (!isWanted) return null
  return <UndoToasts deletions={deletions} />
}
