import { type Actions, settled } from '../../sync/actions.ts'
import { type Deletion, ownDeletion } from '../../sync/deletions.ts'
import { forgetDeletion } from '../../sync/row-changes.ts'
import { toast } from '../../ui/toaster.tsx'

/** Restores it and runs this page's follow-up; shows a refusal. */
export async function undoDeletion({ kind, id, threadId }: Deletion, actions: Actions): Promise<void> {
  ownDeletion(id)?.()
  forgetDeletion(id)
  const outcome = await settled(kind === 'thread' ? actions.restore(id) : actions.restoreMessage(threadId, id))
  if (!outcome.ok) toast('error', outcome.refusal.message)
}
