/** The dialogs that rename, move and share threads, and create a project. One dialog of each kind serves all components that open it. */
import { lazyPart } from '../../lib/lazy-part.ts'
import { createStore, useStore } from '../../lib/store.ts'
import type { ThreadRow } from '../../sync/rows.ts'
import { SectionErrorBoundary } from '../../ui/section-error-boundary.tsx'

const RenameDialog = lazyPart(() => import('./rename-dialog.tsx').then((module) => module.RenameDialog))
const ProjectDialog = lazyPart(() => import('./library/project-dialog.tsx').then((module) => module.ProjectDialog))
const MoveDialog = lazyPart(() => import('./move-dialog.tsx').then((module) => module.MoveDialog))
const ShareDialog = lazyPart(() => import('./share/share-dialog.tsx').then((module) => module.ShareDialog))

/** The thread being renamed. */
export const renaming = createStore<{ readonly id: string; readonly title: string } | null>(null)
/** True while the user creates a project. */
export const creatingProject = createStore(false)
/** The threads being moved to a project. */
export const moving = createStore<readonly ThreadRow[] | null>(null)
/** The id of the thread being shared. */
export const sharing = createStore<string | null>(null)

export function ThreadDialogs() {
  const renamed = useStore(renaming)
  const isCreating = useStore(creatingProject)
  const moved = useStore(moving)
  const shared = useStore(sharing)
  const closeRename = () => renaming.set(null)
  return (
    <>
      {renamed && (
        <SectionErrorBoundary part="dialog" onClose={closeRename}>
          <RenameDialog thread={renamed} onClose={closeRename} />
        </SectionErrorBoundary>
      )}
      <SectionErrorBoundary part="dialog">
        {isCreating && <ProjectDialog project={null} onClose={() => creatingProject.set(false)} />}
        {moved && <MoveDialog threads={moved} onClose={() => moving.set(null)} />}
        {shared && <ShareDialog threadId={shared} onClose={() => sharing.set(null)} />}
      </SectionErrorBoundary>
    </>
  )
}
