/** The dialog that moves threads to a project. One dialog serves all places that open it. */
import { lazyPart } from '../../lib/lazy-part.ts'
import { createStore, useStore } from '../../lib/store.ts'
import type { ThreadRow } from '../../sync/rows.ts'

/** The threads being moved. */
export const moving = createStore<readonly ThreadRow[] | null>(null)

const MoveDialog = lazyPart(() => import('./move-dialog.tsx').then((module) => module.MoveDialog))

export function MoveDialogHost() {
  const threads = useStore(moving)
  return threads && <MoveDialog threads={threads} onClose={() => moving.set(null)} />
}
