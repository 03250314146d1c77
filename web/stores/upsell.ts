/** Whether the PRO dialog is open. Any component can open it; navigation closes it. */
import { createStore, useStore } from '../lib/store.ts'

const isOffered = createStore(false)

export const useUpsell = (): boolean => useStore(isOffered)
export const openUpsell = (): void => isOffered.set(true)
export const closeUpsell = (): void => isOffered.set(false)
