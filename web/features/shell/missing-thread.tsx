/**
 * Where a thread is not. That it was deleted is said from the rows of whoever looks, which hold their own deletions and nobody else's; so
 * another person's thread looks like one that never was.
 */
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { useMomentsPassed } from '../../lib/use-moments-passed.ts'
import { useActions } from '../../sync/actions.ts'
import { type Deletion, undoLeftMs, useDeletionOf } from '../../sync/deletions.ts'
import { Button } from '../../ui/button.tsx'
import { NotFoundView, NothingHere } from './not-found-view.tsx'
import { undoDeletion } from './undo-deletion.ts'

export function MissingThread({ threadId }: { readonly threadId: string }) {
  const deletion = useDeletionOf(threadId)
  return deletion ? <DeletedThread deletion={deletion} /> : <NotFoundView />
}

function DeletedThread({ deletion }: { readonly deletion: Deletion }) {
  const actions = useActions()
  // Draws it again when the time is over.
  useMomentsPassed([deletion.deletedAt + undoToastMs])
  return (
    <NothingHere title="This thread was deleted" note={deletion.words || undefined}>
      {undoLeftMs(deletion.deletedAt) > 0 && (
        <Button variant="primary" onClick={() => void undoDeletion(deletion, actions)}>
          Undo
        </Button>
      )}
    </NothingHere>
  )
}
