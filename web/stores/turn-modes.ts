/** Whether the next message of a thread is answered with tools: kept while the page is open, like the composer it belongs to. */
import type { TurnMode } from '../../worker/contract/modes.ts'
import { newThreadKey } from './drafts.ts'
import { createStore, type Store } from './store.ts'

const modes = new Map<string, Store<TurnMode>>()

/** `key`: a thread's id, or `newThreadKey`. */
export function turnModeOf(key: string): Store<TurnMode> {
  const known = modes.get(key)
  if (known) return known
  const store = createStore<TurnMode>('chat')
  modes.set(key, store)
  return store
}

/** The thread that a first message has made goes on as it began; the next new one begins anew. */
export function keepTurnMode(threadId: string): void {
  turnModeOf(threadId).set(turnModeOf(newThreadKey).get())
  turnModeOf(newThreadKey).set('chat')
}
