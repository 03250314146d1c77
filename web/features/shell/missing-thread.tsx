/**
 * Shown for a missing thread. Only the user's rows tell that it was deleted, so another user's thread looks like one that never existed.
 */
import { undoToastMs } from '../../../worker/contract/limits.ts'
import { useMomentsPassed } from '../../lib/moments.ts'
import { useServerNow } from '../../lib/server-clock.ts'
import { libText } from '../../lib/texts/en.ts'
import { useAct } from '../../sync/act.ts'
import { undoLeftMs } from '../../sync/deletion-checks.ts'
import { type Deletion, useDeletionOf } from '../../sync/deletions.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyPage, NotFoundView } from './empty-page.tsx'
import { t } from './texts/en.ts'
import { undoDeletions } from './undo-toasts.tsx'

export function MissingThread({ threadId }: { readonly threadId: string }) {
  const deletion = useDeletionOf(threadId)
  return deletion ? <DeletedThread deletion={deletion} /> : <NotFoundView />
}

function DeletedThread({ deletion }: { readonly deletion: Deletion }) {
  const act = useAct()
  // Renders again when undo is no longer possible.
  useMomentsPassed([deletion.deletedAt + undoToastMs])
  const isUndoable = undoLeftMs(deletion.deletedAt, useServerNow()) > 0
  return (
    <EmptyPage title={t('threadDeleted')} note={deletion.text || undefined}>
      {isUndoable && (
        <Button variant="primary" onClick={() => void undoDeletions([deletion], act)}>
          {libText('undo')}
        </Button>
      )}
    </EmptyPage>
  )
}
