/** The rename dialog. One dialog serves all components that open it. */
import { later } from '../../lib/later.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { PartBoundary } from '../../ui/part-boundary.tsx'

const RenameDialog = later(() => import('./rename-dialog.tsx').then((module) => module.RenameDialog))

/** The thread being renamed. */
export const renaming = createStore<{ readonly id: string; readonly title: string } | null>(null)

export function Renaming() {
  const thread = useStore(renaming)
  if (!thread) return null
  const close = () => renaming.set(null)
  return (
    <PartBoundary part="dialog" onClose={close}>
      <RenameDialog thread={thread} onClose={close} />
    </PartBoundary>
  )
}
