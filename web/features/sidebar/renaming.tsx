/** The dialog for another name, wherever it was asked for. */
import { later } from '../../lib/later.ts'
import { useStore } from '../../lib/store.ts'
import { renaming } from '../../stores/renaming.ts'
import { useThreadActions } from './use-thread-actions.ts'

const RenameDialog = later(() => import('./rename-dialog.tsx').then((module) => module.RenameDialog))

export function Renaming() {
  const thread = useStore(renaming)
  const { rename } = useThreadActions()
  if (!thread) return null
  return <RenameDialog title={thread.title} onRename={(title) => rename(thread.id, title)} onClose={() => renaming.set(null)} />
}
