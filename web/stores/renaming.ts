/** The thread that is being given another name. One dialog for all the places from which that can be asked for. */
import { createStore } from '../lib/store.ts'

export type Renamed = { readonly id: string; readonly title: string }

export const renaming = createStore<Renamed | null>(null)
