/** The dialog for another name, wherever it was asked for. */
import { Suspense } from 'react'
import { later } from '../../lib/later.ts'
import { renaming } from '../../stores/renaming.ts'
import { useStore } from '../../stores/store.ts'
import { useThreadActions } from './use-thread-actions.ts'

const RenameDialog = later(() => import('./rename-dialog.tsx').then((module) => module.RenameDialog))

export function Renaming() {
  const thread = useStore(renaming)
  const { rename } = useThreadActions()
  if (!thread) return null
  return (
    <Suspense>
      <RenameDialog title={thread.title} onRename={(title) => rename(thread.id, title)} onClose={() => renaming.set(null)} />
    </Suspense>
  )
}
