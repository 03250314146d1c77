/**
 * Registers the service worker, and offers one reload when a newer build waits or a newer page opened, but not while the user types or an
 * answer streams. Loads after the first gesture, so that the files that the service worker stores do not delay the page. Renders nothing.
 */
import { useEffect, useState } from 'react'
import { isBusy } from '../../../worker/contract/thread-status.ts'
import { useStore } from '../../lib/store.ts'
import { useThreadList } from '../../sync/hooks.ts'
import { isSameBuild, registerServiceWorker, reloadWith, waitingWorker } from './waiting-worker.ts'

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
