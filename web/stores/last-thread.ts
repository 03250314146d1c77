/** The thread this tab showed last, for the way back from the settings. Undefined is a new one. */
import { createStore } from './store.ts'

export const lastThread = createStore<string | undefined>(undefined)
