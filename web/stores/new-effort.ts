/** The effort for the next new thread, stored with its draft; the first message moves it to the thread. */
import { type Effort, effortLevels } from '../../worker/contract/effort.ts'
import { createStore } from '../lib/store.ts'
import { withStorage } from './browser-storage.ts'

const key = 'parley:new-effort'

export const newThreadEffort = createStore<Effort | null>(
  effortLevels.find((level) => level === withStorage((storage) => storage.getItem(key))) ?? null,
)

/** Null after sending and signing out. */
export function chooseNewEffort(effort: Effort | null): void {
  newThreadEffort.set(effort)
  withStorage((storage) => (effort === null ? storage.removeItem(key) : storage.setItem(key, effort)))
}
