/**
 * Toasts. The library is fetched with the first toast, so that a first visit does not pay for it; `toast` waits until its
 * region is on the page, because a toast published earlier would be lost.
 */
import { useSyncExternalStore } from 'react'
import { later } from '../lib/later.ts'

export type ToastKind = 'success' | 'error' | 'info' | 'warning' | 'loading'

export type ToastOptions = {
  readonly description?: string
  readonly durationMs?: number
  /** Toasts with the same id replace each other. */
  readonly id?: string
  readonly action?: { readonly label: string; readonly onClick: () => void }
}

const ToastRegion = later(() => import('./toast-region.tsx').then((module) => module.ToastRegion))

let isWanted = false
const listeners = new Set<() => void>()
const { promise: regionMounted, resolve: markMounted } = Promise.withResolvers<void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toaster() {
  const wanted = useSyncExternalStore(subscribe, () => isWanted)
  if (!wanted) return null
  return <ToastRegion onMount={markMounted} />
}

/** Shows a toast. Needs no awaiting: when the library cannot be fetched there is nothing better to do than to say nothing. */
export function toast(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  void deliver(kind, message, options).catch(() => undefined)
}

async function deliver(kind: ToastKind, message: string, { durationMs, ...options }: ToastOptions): Promise<void> {
  isWanted = true
  for (const listener of listeners) listener()
  const { toast: show } = await import('sonner')
  await regionMounted
  show[kind](message, { ...options, ...(durationMs !== undefined && { duration: durationMs }) })
}

export function dismissToast(id: string): void {
  if (isWanted) void dismiss(id).catch(() => undefined)
}

/** Waits like what it takes away, so that a toast on its way does not come after its end. */
async function dismiss(id: string): Promise<void> {
  const { toast: show } = await import('sonner')
  await regionMounted
  show.dismiss(id)
}
