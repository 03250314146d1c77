/** Which of the two things lies over the page that are opened from anywhere; never both. */
import { createStore, useStore } from '../lib/store.ts'

export type OverlayName = 'palette' | 'shortcuts'

const shown = createStore<OverlayName | null>(null)

export const useOverlay = (): OverlayName | null => useStore(shown)
export const openOverlay = (name: OverlayName): void => shown.set(name)
export const closeOverlay = (): void => shown.set(null)
