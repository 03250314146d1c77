/** The last thread shown in this tab, for the back link of the settings. Undefined means a new thread. */
import { createStore, useStore } from './store.ts'

export const lastThread = createStore<string | undefined>(undefined)

/** Target of "Back", for a router link. */
export function useWayBack() {
  const threadId = useStore(lastThread)
  return threadId === undefined ? { to: '/' as const } : { to: '/$threadId' as const, params: { threadId } }
}
