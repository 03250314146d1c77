/** Registers the service worker, and reports a newer one that waits. */
import { createStore } from '../../lib/store.ts'

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

/** True if the worker was built with this page, which then needs no reload. */
export function isSameBuild(worker: ServiceWorker): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data === true)
    worker.postMessage({ type: 'IS_SAME_BUILD', entry: script && new URL(script.src).pathname }, [port2])
  })
}

/** Lets the worker take over, and reloads. */
export function reloadWith(worker: ServiceWorker): void {
  const reload = () => location.reload()
  navigator.serviceWorker.addEventListener('controllerchange', reload, { once: true })
  // Another page may have done it already.
  if (worker.state === 'activated' || worker.state === 'redundant') reload()
  else worker.postMessage({ type: 'SKIP_WAITING' })
}
