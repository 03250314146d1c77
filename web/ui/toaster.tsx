/**
 * Toasts. The library loads with the first toast, which keeps it out of the first load. All calls wait until the region is mounted,
 * because sonner drops toasts that are published before, and then run in their order.
 */
import type { toast as sonnerToast } from 'sonner'
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
const { promise: regionMounted, resolve: onMount } = Promise.withResolvers<typeof sonnerToast>()

export function Toaster() {
  return useStore(isWanted) && <ToastRegion onMount={onMount} />
}

/** Ids whose dismissal waits for the region. Their toasts are not shown: sonner may drop a dismissal in the same task as its toast. */
const dismissed = new Set<string>()

/** Shows a toast when the library has loaded. */
export function toast(kind: ToastKind, message: string, { durationMs, isSyncNotice, ...options }: ToastOptions = {}): void {
  const { id } = options
  if (id !== undefined) dismissed.delete(id)
  isWanted.set(true)
  void regionMounted.then((show) => {
    if (id !== undefined && dismissed.has(id)) return
    // On narrow windows all toasts share the region's position.
    const position = isSyncNotice && !matchMedia(narrowWindow).matches ? { position: 'bottom-right' as const } : {}
    show[kind](message, { ...options, ...position, ...(durationMs !== undefined && { duration: durationMs }) })
  })
}

export function dismissToast(id: string): void {
  if (!isWanted.get()) return
  dismissed.add(id)
  void regionMounted.then((show) => {
    dismissed.delete(id)
    show.dismiss(id)
  })
}
