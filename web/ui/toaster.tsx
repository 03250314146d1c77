/**
 * Toasts. The library loads with the first toast, which keeps it out of the first load. `toast` waits until the region is mounted,
 * because sonner drops toasts that are published before.
 */
import { lazyPart } from '../lib/lazy-part.ts'
import { createStore, useStore } from '../lib/store.ts'

export type ToastKind = 'success' | 'error' | 'info' | 'warning' | 'loading'

type ToastOptions = {
  readonly description?: string
  readonly durationMs?: number
  /** Toasts with the same id replace each other. */
  readonly id?: string
  readonly action?: { readonly label: string; readonly onClick: () => void }
  /** True for notices of the data provider: bottom right on wide windows. Other toasts appear at the top center. */
  readonly isSyncNotice?: boolean
}

/** Narrow windows: the sidebar is a sheet and its bar takes the top of the page. */
export const narrowWindow = '(width < 48rem)'

const ToastRegion = lazyPart(() => import('./toast-region.tsx').then((module) => module.ToastRegion))

const isWanted = createStore(false)
const { promise: regionMounted, resolve: markMounted } = Promise.withResolvers<void>()

export function Toaster() {
  return useStore(isWanted) && <ToastRegion onMount={markMounted} />
}

/** Shows a toast, or nothing if the library cannot be loaded. */
export function toast(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  void deliver(kind, message, options).catch(() => undefined)
}

async function deliver(kind: ToastKind, message: string, { durationMs, isSyncNotice, ...options }: ToastOptions): Promise<void> {
  isWanted.set(true)
  const { toast: show } = await import('sonner')
  await regionMounted
  // On narrow windows all toasts share the region's position.
  const position = isSyncNotice && !matchMedia(narrowWindow).matches ? { position: 'bottom-right' as const } : {}
  show[kind](message, { ...options, ...position, ...(durationMs !== undefined && { duration: durationMs }) })
}

export function dismissToast(id: string): void {
  if (isWanted.get()) void dismiss(id).catch(() => undefined)
}

/** Waits for the region like `deliver`, so that a pending toast does not appear after its dismissal. */
async function dismiss(id: string): Promise<void> {
  const { toast: show } = await import('sonner')
  await regionMounted
  show.dismiss(id)
}
