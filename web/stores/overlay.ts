/** The open overlay (palette or shortcut sheet); at most one. */
import { createStore, useStore } from '../lib/store.ts'

export type OverlayName = 'palette' | 'shortcuts'

const shown = createStore<OverlayName | null>(null)

export const useOverlay = (): OverlayName | null => useStore(shown)
export const openOverlay = (name: OverlayName): void => shown.set(name)
export const closeOverlay = (): void => shown.set(null)
