/** The effort chosen for the thread that does not exist yet; with its first message it becomes the thread's. */
import type { Effort } from '../../worker/contract/effort.ts'
import { createStore } from './store.ts'

export const newThreadEffort = createStore<Effort | null>(null)
