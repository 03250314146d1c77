/** What this browser keeps of a person beside the threads: gone with the session, by whichever way it ends here. */
import { deleteDrafts } from './drafts.ts'
import { chooseNewEffort } from './new-effort.ts'
import { forgetAllUnsent } from './outbox.ts'
import { forgetChanges } from './plan-changes.ts'
import { forgetQueuedEdits } from './queued-edits.ts'
import { forgetRowChanges } from './row-changes.ts'
import { forgetTurnModes } from './turn-modes.ts'
import { forgetUploads } from './uploads.ts'
import { forgetWhose, isSomebodyElses } from './whose.ts'

export function forgetEverythingUnsent(): void {
  deleteDrafts()
  forgetTurnModes()
  chooseNewEffort(null)
  forgetQueuedEdits()
  forgetChanges()
  forgetRowChanges()
  forgetUploads()
  forgetAllUnsent()
  forgetWhose()
}

/** Before anything is drawn for whoever is here now. */
export function forgetSomebodyElses(userId: string, isNewGuest: boolean): void {
  if (isNewGuest || isSomebodyElses(userId)) forgetEverythingUnsent()
}
