/** Overlays that any component can open. At most one of palette, shortcut sheet and export is open. */
import type { GivenMemory } from '../../worker/contract/threads/memories.ts'
import { createStore, useStore } from './store.ts'

export type ExportKind = 'markdown' | 'json' | 'print'
export type ExportRequest = { readonly threadIds: readonly string[]; readonly kind: ExportKind }
/** Saves the text as a prompt. */
type PromptRequest = { readonly promptText: string }
/** Edits the project, or creates one. */
type ProjectRequest = { readonly projectId: string | null }
/** After a payment. */
type WelcomeRequest = { readonly welcomesTo: 'pro' }
/** The facts that an answer was given. */
type MemoriesRequest = { readonly memories: readonly GivenMemory[] }
export type OverlayRequest = ExportRequest | PromptRequest | ProjectRequest | WelcomeRequest | MemoriesRequest
type Overlay = 'palette' | 'shortcuts' | OverlayRequest

const shown = createStore<Overlay | null>(null)

export const useOverlay = (): Overlay | null => useStore(shown)
export const openOverlay = (overlay: Overlay): void => shown.set(overlay)
export const closeOverlay = (): void => shown.set(null)

/** The reason why the upgrade dialog is open. `needs`: an account suffices for some models. */
export type UpsellReason =
  | 'research'
  | 'credits'
  | { readonly model: { readonly id: string; readonly name: string; readonly description: string }; readonly needs: 'account' | 'pro' }

/** Undefined: the dialog is closed. Null: it is open without a reason. */
const upsell = createStore<UpsellReason | null | undefined>(undefined)

export const useUpsell = (): UpsellReason | null | undefined => useStore(upsell)
export const openUpsell = (reason: UpsellReason | null = null): void => upsell.set(reason)
/** Navigation closes the upgrade dialog, too. */
export const closeUpsell = (): void => upsell.set(undefined)
