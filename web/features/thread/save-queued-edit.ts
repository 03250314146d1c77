/** Saves what was typed into a queued message. Its editor is closed meanwhile, and open again when that is refused. */
import { changeQueuedEdit, closeQueuedEdit, queuedEdits } from '../../stores/queued-edits.ts'
import { type Actions, settled } from '../../sync/actions.ts'
import { toast } from '../../ui/toaster.tsx'

/** The editor says the one itself, and what becomes of the text without its message is told by whoever looks after it. */
const isToldElsewhere: ReadonlySet<string> = new Set(['queued_changed', 'not_found'])

export async function saveQueuedEdit({ editQueued }: Pick<Actions, 'editQueued'>, id: string): Promise<void> {
  const saving = changeQueuedEdit(id, { state: 'saving' })
  if (!saving) return
  const { text, was, editorId } = saving
  const outcome = await settled(editQueued(id, { text, was, editorId }))
  if (!outcome.ok && !isToldElsewhere.has(outcome.refusal.code)) toast('error', outcome.refusal.message)
  // Whoever has opened it again meanwhile goes on there.
  if (queuedEdits.get().get(id) !== saving) return
  if (outcome.ok && !outcome.isOpen) closeQueuedEdit(id)
  else changeQueuedEdit(id, { state: outcome.ok ? 'unheard' : 'open' })
}
