/** The mode of the next message per thread. Stored with the draft and restored after a reload. */
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
 * After sending, the thread keeps its mode, except that Research becomes Chat: follow-ups on a report are chat. The next new thread starts
 * with the default.
 */
export function goOnAfterSending(key: string, threadId: string): void {
  const mode = turnModeOf(key).get()
  chooseTurnMode(threadId, mode === 'research' ? 'chat' : mode)
  if (key !== threadId) chooseTurnMode(key, 'chat')
}

/** Keys of the stored modes. */
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
