/** The share dialog. One dialog serves all components that open it. */
import { lazyPart } from '../../../lib/lazy-part.ts'
import { createStore, useStore } from '../../../lib/store.ts'

const ShareDialog = lazyPart(() => import('./share-dialog.tsx').then((module) => module.ShareDialog))

/** The id of the thread being shared. */
export const sharing = createStore<string | null>(null)

export function ShareDialogHost() {
  const threadId = useStore(sharing)
  return threadId && <ShareDialog threadId={threadId} onClose={() => sharing.set(null)} />
}
