/**
 * Notifications of the operating system. The service worker shows them, because Android allows no others; it also reports the click
 * (`web/service-worker/`). A page without a service worker shows them itself.
 */
import { idSchema } from '../../../../worker/contract/ids.ts'
import type { Notice } from './notice-text.ts'

const serviceWorker = async (): Promise<ServiceWorkerRegistration | undefined> => {
  const registration = await navigator.serviceWorker?.getRegistration()
  return registration?.active ? registration : undefined
}

let openThread: (threadId: string) => void = () => undefined

/** A notification replaces an earlier one with the same tag. */
export async function showNotice(threadId: string, { title, body }: Notice): Promise<void> {
  const options = { body, tag: threadId, icon: '/icons/icon-192.png', lang: document.documentElement.lang, data: { threadId } }
  const worker = await serviceWorker()
  if (worker) return worker.showNotification(title, options)
  const notice = new Notification(title, options)
  notice.onclick = () => {
    window.focus()
    openThread(threadId)
  }
}

/** Closes the notification of an answer that was read meanwhile, on this device or another one. */
export async function closeNotice(threadId: string): Promise<void> {
  for (const notice of (await (await serviceWorker())?.getNotifications({ tag: threadId })) ?? []) notice.close()
}

/** Calls `open` when the user clicks a notification. Returns a function that stops this. */
export function onNoticeOpened(open: (threadId: string) => void): () => void {
  openThread = open
  const onMessage = ({ data }: MessageEvent) => {
    const { type, threadId } = data as { readonly type?: unknown; readonly threadId?: unknown }
    const id = idSchema.safeParse(threadId)
    if (type === 'OPEN_THREAD' && id.success) open(id.data)
  }
  navigator.serviceWorker?.addEventListener('message', onMessage)
  return () => navigator.serviceWorker?.removeEventListener('message', onMessage)
}
