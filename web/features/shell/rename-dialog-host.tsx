/** The rename dialog. One dialog serves all components that open it. */
import { lazyPart } from '../../lib/lazy-part.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'

const RenameDialog = lazyPart(() => import('./rename-dialog.tsx').then((module) => module.RenameDialog))

/** The thread being renamed. */
export const renaming = createStore<{ readonly id: string; readonly title: string } | null>(null)

export function RenameDialogHost() {
  const thread = useStore(renaming)
  if (!thread) return null
  const close = () => renaming.set(null)
  return (
    <SectionErrorBoundary part="dialog" onClose={close}>
      <RenameDialog thread={thread} onClose={close} />
    </SectionErrorBoundary>
  )
}
