/** The dialog that moves threads to a project. One dialog serves all places that open it. */
import { later } from '../../lib/later.ts'
import { createStore, useStore } from '../../lib/store.ts'
import type { ThreadRow } from '../../sync/rows.ts'

/** The threads being moved. */
export const moving = createStore<readonly ThreadRow[] | null>(null)

const MoveDialog = later(() => import('./move-dialog.tsx').then((module) => module.MoveDialog))

export function Moving() {
  const threads = useStore(moving)
  return threads && <MoveDialog threads={threads} onClose={() => moving.set(null)} />
}
