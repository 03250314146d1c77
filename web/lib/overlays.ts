/** Overlays that any component can open. At most one of palette, shortcut sheet and export is open. */
import { createStore, useStore } from './store.ts'

export type ExportKind = 'markdown' | 'json' | 'print'
export type ExportRequest = { readonly threadIds: readonly string[]; readonly kind: ExportKind }
/** Saves the text as a prompt. */
type PromptRequest = { readonly promptText: string }
/** After a payment. */
type WelcomeRequest = { readonly welcomesTo: 'pro' }
export type OverlayRequest = ExportRequest | PromptRequest | WelcomeRequest
type Overlay = 'palette' | 'shortcuts' | OverlayRequest

const shown = createStore<Overlay | null>(null)

export const useOverlay = (): Overlay | null => useStore(shown)
export const openOverlay = (overlay: Overlay): void => shown.set(overlay)
export const closeOverlay = (): void => shown.set(null)

const isUpgradeOffered = createStore(false)

export const useUpsell = (): boolean => useStore(isUpgradeOffered)
export const openUpsell = (): void => isUpgradeOffered.set(true)
/** Navigation closes the upgrade dialog, too. */
export const closeUpsell = (): void => isUpgradeOffered.set(false)
