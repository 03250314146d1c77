/** Registers the service worker, and reports a newer one that waits. */
import { createStore } from './store.ts'

/** A worker of another build, which takes over when the user accepts the reload. */
export const waitingWorker = createStore<ServiceWorker | null>(null)

/** The development server has none. */
export async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.register('/sw.js')
  const report = () => void (registration.active && waitingWorker.set(registration.waiting))
  const follow = () => registration.installing?.addEventListener('statechange', report)
  registration.addEventListener('updatefound', follow)
  follow()
  report()
}
