/**
 * Detects a missing network. The browser reports it at once; the socket only after an unanswered ping. A server on the same machine stays
 * reachable without a network, so the report is checked with a request.
 */
import { useSyncExternalStore } from 'react'
import { isServerReachable } from '../lib/load-chunk.ts'

let isOffline = false
const listeners = new Set<() => void>()

function set(next: boolean) {
  isOffline = next
  for (const listener of listeners) listener()
}

const onOffline = async () => {
  const isReachable = await isServerReachable()
  set(!isReachable && !navigator.onLine)
}
const onOnline = () => set(false)

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener('offline', onOffline)
    window.addEventListener('online', onOnline)
    if (!navigator.onLine) void onOffline()
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    window.removeEventListener('offline', onOffline)
    window.removeEventListener('online', onOnline)
    isOffline = false
  }
}

export const useIsOffline = (): boolean => useSyncExternalStore(subscribe, () => isOffline)
