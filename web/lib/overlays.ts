/** Overlays that any component can open. At most one of palette and shortcut sheet is open. */
import { createStore, useStore } from './store.ts'

export type OverlayName = 'palette' | 'shortcuts'

const shown = createStore<OverlayName | null>(null)

export const useOverlay = (): OverlayName | null => useStore(shown)
export const openOverlay = (name: OverlayName): void => shown.set(name)
export const closeOverlay = (): void => shown.set(null)

const isUpgradeOffered = createStore(false)

export const useUpsell = (): boolean => useStore(isUpgradeOffered)
export const openUpsell = (): void => isUpgradeOffered.set(true)
/** Navigation closes the upgrade dialog, too. */
export const closeUpsell = (): void => isUpgradeOffered.set(false)
