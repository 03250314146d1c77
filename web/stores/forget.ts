/** Deletes the user's unsent content in this browser when the session ends in any way. */
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

/** Runs before anything renders for the current user. */
export function forgetSomebodyElses(userId: string, isNewGuest: boolean): void {
  if (isNewGuest || isSomebodyElses(userId)) forgetEverythingUnsent()
}
