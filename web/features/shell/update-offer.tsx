/**
 * Registers the service worker, and offers one reload when a newer build waits or a newer page opened, but not while the user types or an
 * answer streams. Loads after the first gesture, so that the files that the service worker stores do not delay the page. Renders nothing.
 */
import { useEffect, useState } from 'react'
import { isBusy } from '../../../worker/contract/threads/thread-status.ts'
import { createStore, useStore } from '../../lib/store.ts'
import { useThreadList } from '../../sync/hooks.ts'

/** Chosen: more than a user has running answers. */
const newestThreads = 20

type UpdateOfferProps = {
  /** A newer page opened in this browser. */
  readonly isOutdated: boolean
  readonly onOffer: (reload: () => void) => void
}

export function UpdateOffer({ isOutdated, onOffer }: UpdateOfferProps) {
  const worker = useStore(waitingWorker)
  const [newer, setNewer] = useState<ServiceWorker | null>(null)
  const { threads } = useThreadList(newestThreads)
  const isAnswering = threads.some(isBusy)
  const isTyping = useIsTyping()
  useEffect(() => void registerServiceWorker().catch(() => undefined), [])
  useEffect(() => {
    if (worker) void isSameBuild(worker).then((isSame) => setNewer(isSame ? null : worker))
  }, [worker])
  const mayOffer = !isAnswering && !isTyping
  useEffect(() => {
    if (!(newer || isOutdated) || !mayOffer) return
    onOffer(() => (newer ? reloadWith(newer) : location.reload()))
    // A dismissed offer is not shown again.
    setNewer(null)
  }, [newer, isOutdated, mayOffer, onOffer])
  return null
}

/** A focused field with text. */
function useIsTyping(): boolean {
  const [isTyping, setTyping] = useState(hasFocusedText)
  useEffect(() => {
    const controller = new AbortController()
    // After the event: the focus moves, and the page empties a field that was sent.
    const look = () => void setTimeout(() => setTyping(hasFocusedText()))
    for (const name of ['focusin', 'focusout', 'input', 'keyup', 'click']) addEventListener(name, look, { signal: controller.signal })
    // The focus may have moved between the render and this effect.
    look()
    return () => controller.abort()
  }, [])
  return isTyping
}

function hasFocusedText(): boolean {
  const focused = document.activeElement
  return (focused instanceof HTMLTextAreaElement || focused instanceof HTMLInputElement) && focused.value.trim() !== ''
}

/** A worker of another build, which takes over when the user accepts the reload. */
const waitingWorker = createStore<ServiceWorker | null>(null)

/** Reports a worker that waits. The development server has none. */
async function registerServiceWorker(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const registration = await navigator.serviceWorker.register('/sw.js')
  const report = () => void (registration.active && waitingWorker.set(registration.waiting))
  const follow = () => registration.installing?.addEventListener('statechange', report)
  registration.addEventListener('updatefound', follow)
  follow()
  report()
}

/** True if the worker was built with this page, which then needs no reload. */
function isSameBuild(worker: ServiceWorker): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = ({ data }) => resolve(data === true)
    worker.postMessage({ type: 'IS_SAME_BUILD', entry: script && new URL(script.src).pathname }, [port2])
  })
}

/** Lets the worker take over, and reloads. */
function reloadWith(worker: ServiceWorker): void {
  const reload = () => location.reload()
  navigator.serviceWorker.addEventListener('controllerchange', reload, { once: true })
  // Another page may have done it already.
  if (worker.state === 'activated' || worker.state === 'redundant') reload()
  else worker.postMessage({ type: 'SKIP_WAITING' })
}
