/** Saves the text of a queued message. The editor is closed during the save and opens again if the save is refused. */

import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { type Actions, settled } from '../../../sync/actions.ts'
import { toast } from '../../../ui/toaster.tsx'
import { changeQueuedEdit, closeQueuedEdit, queuedEdits } from './queued-edits.ts'

/** The editor shows the first one; `FinishQueuedEdits` handles the text of a missing message. */
const codesShownElsewhere: ReadonlySet<string> = new Set(['queued_changed', 'not_found'])

export async function saveQueuedEdit({ editQueued }: Pick<Actions, 'editQueued'>, id: string): Promise<void> {
  const saving = changeQueuedEdit(id, { state: 'saving' })
  if (!saving) return
  const { text, was, editorId } = saving
  const outcome = await settled(editQueued(id, { text, was, editorId }))
  if (!outcome.ok && !codesShownElsewhere.has(outcome.refusal.code)) toast('error', refusalSentence(outcome.refusal))
  // The user opened the editor again meanwhile.
  if (queuedEdits.get().get(id) !== saving) return
  if (outcome.ok && !outcome.isPending) closeQueuedEdit(id)
  else changeQueuedEdit(id, { state: outcome.ok ? 'unacknowledged' : 'open' })
}
