/** The thread this tab showed last, for the way back from the settings. Undefined is a new one. */
import { createStore, useStore } from '../lib/store.ts'

export const lastThread = createStore<string | undefined>(undefined)

/** Where "Back" leads, as a router link takes it. */
export function useWayBack() {
  const threadId = useStore(lastThread)
  return threadId === undefined ? { to: '/' as const } : { to: '/$threadId' as const, params: { threadId } }
}
