/** Mode of the next message per thread, and effort of the next new thread. Stored with the draft and restored after a reload. */

import { type Effort, effortLevels } from '../../../../worker/contract/effort.ts'
import { isTurnMode, type TurnMode } from '../../../../worker/contract/modes.ts'
import { keysBelow, removeAll, withStorage } from '../../../lib/browser-storage.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createStore, type Store } from '../../../lib/store.ts'

const prefix = 'parley:mode:'
const effortKey = 'parley:new-effort'
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
export function setModeAfterSending(key: string, threadId: string): void {
  const mode = turnModeOf(key).get()
  chooseTurnMode(threadId, mode === 'research' ? 'chat' : mode)
  if (key !== threadId) chooseTurnMode(key, 'chat')
}

/** Keys of the stored modes. */
export const modedThreads = (): readonly string[] =>
  (withStorage((storage) => keysBelow(storage, prefix)) ?? []).map((key) => key.slice(prefix.length))

/** The first message of a new thread moves it to the thread. */
export const newThreadEffort = createStore<Effort | null>(
  effortLevels.find((level) => level === withStorage((storage) => storage.getItem(effortKey))) ?? null,
)

/** Null after sending. */
export function chooseNewEffort(effort: Effort | null): void {
  newThreadEffort.set(effort)
  withStorage((storage) => (effort === null ? storage.removeItem(effortKey) : storage.setItem(effortKey, effort)))
}

/** For signing out. */
export function deleteNextTurns(): void {
  for (const store of modes.values()) store.set('chat')
  removeAll(prefix)
  chooseNewEffort(null)
}

function readMode(key: string): TurnMode {
  const stored = withStorage((storage) => storage.getItem(prefix + key))
  return isTurnMode(stored) ? stored : 'chat'
}

onLocalDataDeletion(deleteNextTurns)
