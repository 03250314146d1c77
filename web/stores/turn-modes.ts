/** How the next message of a thread is to be answered: kept across reloading, per thread, like the draft it belongs to. */
import { isTurnMode, type TurnMode } from '../../worker/contract/modes.ts'
import { createStore, type Store } from '../lib/store.ts'
import { forgetAll, keysBelow, withStorage } from './browser-storage.ts'

const prefix = 'parley:mode:'
const modes = new Map<string, Store<TurnMode>>()

/** `key`: a thread's id, or `newThreadKey` of the drafts. */
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

/**
 * A message was sent: its thread goes on in the same way, except that a research is done with its question, and what is said of it is
 * chat. The next new thread begins anew.
 */
export function goOnAfterSending(key: string, threadId: string): void {
  const mode = turnModeOf(key).get()
  chooseTurnMode(threadId, mode === 'research' ? 'chat' : mode)
  if (key !== threadId) chooseTurnMode(key, 'chat')
}

/** Keys of those that this browser keeps. */
export const modedThreads = (): readonly string[] =>
  (withStorage((storage) => keysBelow(storage, prefix)) ?? []).map((key) => key.slice(prefix.length))

/** For signing out. */
export function forgetTurnModes(): void {
  for (const store of modes.values()) store.set('chat')
  forgetAll(prefix)
}

function readMode(key: string): TurnMode {
  const kept = withStorage((storage) => storage.getItem(prefix + key))
  return isTurnMode(kept) ? kept : 'chat'
}
