/** How the next message of a thread is to be answered: kept across reloading, per thread, like the draft it belongs to. */
import { isTurnMode, type TurnMode } from '../../worker/contract/modes.ts'
import { forgetAll, withStorage } from './browser-storage.ts'
import { newThreadKey } from './drafts.ts'
import { createStore, type Store } from './store.ts'

const prefix = 'parley:mode:'
const modes = new Map<string, Store<TurnMode>>()

/** `key`: a thread's id, or `newThreadKey`. */
export function turnModeOf(key: string): Store<TurnMode> {
  const known = modes.get(key)
  if (known) return known
  const store = createStore<TurnMode>(readMode(key))
  modes.set(key, store)
  return store
}

export function chooseTurnMode(key: string, mode: TurnMode): void {
  turnModeOf(key).set(mode)
  withStorage((storage) => (mode === 'chat' ? storage.removeItem(prefix + key) : storage.setItem(prefix + key, mode)))
}

/** The thread that a first message has made goes on as it began; the next new one begins anew. */
export function keepTurnMode(threadId: string): void {
  chooseTurnMode(threadId, turnModeOf(newThreadKey).get())
  chooseTurnMode(newThreadKey, 'chat')
}

/** For signing out. */
export function forgetTurnModes(): void {
  for (const store of modes.values()) store.set('chat')
  forgetAll(prefix)
}

function readMode(key: string): TurnMode {
  const kept = withStorage((storage) => storage.getItem(prefix + key))
  return isTurnMode(kept) ? kept : 'chat'
}
