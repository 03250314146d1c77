/** The thread being renamed. One dialog serves all places that open it. */
import { createStore } from '../lib/store.ts'

export type Renamed = { readonly id: string; readonly title: string }

export const renaming = createStore<Renamed | null>(null)
