/**
 * Notifications of the operating system. The service worker shows them, because Android allows no others; it also reports the click
 * (`web/service-worker/`). A page without a service worker shows them itself.
 */
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { idSchema } from '../../../../worker/contract/ids.ts'
import type { AnswerMessage } from '../../../../worker/contract/messages.ts'
import { isWaitingPlan } from '../../../../worker/contract/research.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { t } from '../texts/en.ts'

const serviceWorker = async (): Promise<ServiceWorkerRegistration | undefined> => {
  const registration = await navigator.serviceWorker?.getRegistration()
  return registration?.active ? registration : undefined
}

let openThread: (threadId: string) => void = () => undefined

/** A notification replaces an earlier one with the same tag. */
export async function showNotification(threadId: string, { title, body }: NotificationText): Promise<void> {
  const options = { body, tag: threadId, icon: '/icons/icon-192.png', lang: document.documentElement.lang, data: { threadId } }
  const worker = await serviceWorker()
  if (worker) return worker.showNotification(title, options)
  const notification = new Notification(title, options)
  notification.onclick = () => {
    window.focus()
    openThread(threadId)
  }
}

/** Closes the notification of an answer that was read meanwhile, on this device or another one. */
export async function closeNotification(threadId: string): Promise<void> {
  for (const notification of (await (await serviceWorker())?.getNotifications({ tag: threadId })) ?? []) notification.close()
}

/** Calls `open` when the user clicks a notification. Returns a function that stops this. */
export function onNotificationOpened(open: (threadId: string) => void): () => void {
  openThread = open
  const onMessage = ({ data }: MessageEvent) => {
    const { type, threadId } = data as { readonly type?: unknown; readonly threadId?: unknown }
    const id = idSchema.safeParse(threadId)
    if (type === 'OPEN_THREAD' && id.success) open(id.data)
  }
  navigator.serviceWorker?.addEventListener('message', onMessage)
  return () => navigator.serviceWorker?.removeEventListener('message', onMessage)
}

type NotificationText = { readonly title: string; readonly body: string }

/** The thread's title, and how its answer ended. `answer`: null if this browser does not have it yet. It then counts as completed, as most answers are. */
export const notificationOf = (thread: Pick<ThreadRow, 'title'>, answer: AnswerMessage | null): NotificationText => ({
  title: titleOf(thread, firstPaintText),
  body: bodyOf(answer),
})

function bodyOf(answer: AnswerMessage | null): string {
  if (answer && answer.metadata.ending !== 'completed') return t('answerCut')
  return t(answer && isWaitingPlan(answer.parts) ? 'planReady' : 'answerReady')
}
