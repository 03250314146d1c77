/** The dialog that moves a thread to a project. One dialog serves all places that open it. */
import { later } from '../../lib/later.ts'
import { createStore, useStore } from '../../lib/store.ts'
import type { ThreadRow } from '../../sync/rows.ts'

/** The thread being moved. */
export const moving = createStore<ThreadRow | null>(null)

const MoveDialog = later(() => import('./move-dialog.tsx').then((module) => module.MoveDialog))

export function Moving() {
  const thread = useStore(moving)
  return thread && <MoveDialog thread={thread} onClose={() => moving.set(null)} />
}
