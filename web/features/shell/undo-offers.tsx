/** The way back from a deletion, on every device of the person. Who draws it is fetched with the first one. */
import { useState } from 'react'
import { later } from '../../lib/later.ts'
import { useDeletions } from '../../sync/deletions.ts'

const UndoToasts = later(() => import('./undo-toasts.tsx').then((module) => module.UndoToasts))

export function UndoOffers() {
  const deletions = useDeletions()
  const [isWanted, setWanted] = useState(false)
  // Wanted from then on: a toast has to go when what it offers was undone elsewhere.
  if (deletions.length > 0 && !isWanted) setWanted(true)
  if (!isWanted) return null
  return <UndoToasts deletions={deletions} />
}
