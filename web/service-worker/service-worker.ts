/**
 * Opens the page without a network. It stores the files of one build and the shell, which contain no data of a user, and nothing else.
 * `scripts/lib/service-worker.ts` bundles it and writes the list of files.
 */
import { NetworkOnly, type PrecacheEntry, Serwist } from 'serwist'
import { isPage, shellPath } from './paths.ts'

declare const self: ServiceWorkerGlobalScope
/** Replaced by the build. */
declare const PRECACHE: readonly PrecacheEntry[]

/** Chosen: after this time a page opens from the shell, for networks that accept a request and never answer it. */
const networkTimeoutSeconds = 6

const serwist = new Serwist({
  precacheEntries: [...PRECACHE],
  precacheOptions: { cleanupOutdatedCaches: true },
  clientsClaim: true,
  // Pages are personal: they come from the network or are replaced by the shell, and are never stored.
  runtimeCaching: [
    {
      matcher: ({ request, url, sameOrigin }) => sameOrigin && request.mode === 'navigate' && isPage(url.pathname),
      handler: new NetworkOnly({ networkTimeoutSeconds }),
    },
  ],
  fallbacks: { entries: [{ url: shellPath, matcher: ({ request }) => request.mode === 'navigate' }] },
})
// Also answers SKIP_WAITING, which the page sends when the user accepts the reload.
serwist.addEventListeners()

/**
 * A page asks the waiting worker whether it was built with the same files. If so, the page needs no reload, and the worker takes over if no
 * other page is open. It would delete the files of an older page.
 */
self.addEventListener('message', (event) => {
  const { type, entry } = event.data as { readonly type?: unknown; readonly entry?: unknown }
  if (type !== 'IS_SAME_BUILD') return
  const isSame = PRECACHE.some(({ url }) => url === entry)
  event.ports[0]?.postMessage(isSame)
  if (isSame) event.waitUntil(activateIfAlone())
})

async function activateIfAlone(): Promise<void> {
  const pages = await self.clients.matchAll({ includeUncontrolled: true, type: 'window' })
  if (pages.length <= 1) await self.skipWaiting()
}

/** A click on a notification opens its thread in the page that the user saw last, or in a new one. */
self.addEventListener('notificationclick', (event) => {
  const { threadId } = event.notification.data as { readonly threadId: string }
  event.notification.close()
  event.waitUntil(openThread(threadId))
})

async function openThread(threadId: string): Promise<void> {
  const [page] = await self.clients.matchAll({ includeUncontrolled: true, type: 'window' })
  if (!page) return void (await self.clients.openWindow(`/${threadId}`))
  page.postMessage({ type: 'OPEN_THREAD', threadId })
  await page.focus()
}
