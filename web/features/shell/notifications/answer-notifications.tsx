/**
 * Handles answers that have ended. A visible page that shows the thread marks the answer as read; the title counts the other unread threads. If
 * no page is visible on any device, one page shows a notification (ADR 0113). Renders nothing.
 */
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { titleOf } from '../../../../worker/contract/display-names.ts'
import { idSchema } from '../../../../worker/contract/ids.ts'
import { threadPageSize } from '../../../../worker/contract/limits.ts'
import { mutators } from '../../../../worker/contract/mutators.ts'
import { isWaitingPlan } from '../../../../worker/contract/research/research.ts'
import type { AnswerMessage } from '../../../../worker/contract/threads/messages.ts'
import { asksForInput, waitsForApproval } from '../../../../worker/contract/tools/approvals.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { useOpenThreadId } from '../../../lib/navigation.ts'
import {
  mayNotify,
  notificationPermission,
  notificationsEnabled,
  setNotificationsEnabled,
  turnOnNotifications,
} from '../../../lib/notification-setting.ts'
import { unreadCount } from '../../../lib/page-head.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { useLatest } from '../../../lib/use-stable.ts'
import { settled, useAct } from '../../../sync/act.ts'
import { useThreadList } from '../../../sync/hooks.ts'
import { useLastAnswer } from '../../../sync/loaded-messages.ts'
import type { ThreadRow } from '../../../sync/rows.ts'
import { toast } from '../../../ui/toaster.tsx'
import { t } from '../texts/en.ts'

/** Chosen: a hidden page waits this long, so that a visible page on any device can claim the answer first. */
const frontPageMs = 2000
/** Chosen: the user is not notified about older answers, for example when a computer wakes. */
const newsMs = 60_000
/** Chosen: time to read the offer and decide. */
const offerMs = 20_000

type Unread = ThreadRow & { readonly unreadAt: number }
const isUnread = (thread: ThreadRow): thread is Unread => thread.unreadAt != null
const keyOf = ({ id, unreadAt }: Unread): string => `${id} ${unreadAt}`

export function AnswerNotifications() {
  // The query of the sidebar: the end of an answer moves its thread to the top.
  const { threads } = useThreadList(threadPageSize)
  const navigate = useNavigate()
  const openId = useOpenThreadId()
  const isHidden = useSyncExternalStore(subscribeVisibility, () => document.hidden)
  const unread = threads.filter(isUnread)
  const shown = isHidden ? undefined : unread.find(({ id }) => id === openId)
  const elsewhere = unread.filter((thread) => thread !== shown)

  useEffect(() => {
    unreadCount.set(elsewhere.length)
    return () => unreadCount.set(0)
  }, [elsewhere.length])
  useMarkRead(shown)
  useClaims(elsewhere, isHidden)
  useOffer(elsewhere, isHidden)
  useEffect(() => onNotificationOpened((threadId) => void navigate({ to: '/$threadId', params: { threadId } })), [navigate])
  return null
}

function subscribeVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Sends one mutation for each answer. Without the ref, a refused mutation would restore the row and be sent again. */
function useMarkRead(shown: Unread | undefined): void {
  const act = useAct()
  const key = shown && keyOf(shown)
  const markedRef = useRef<string>(undefined)
  useEffect(() => {
    if (!shown || markedRef.current === key) return
    markedRef.current = key
    act(mutators.threads.markRead({ threadId: shown.id, unreadAt: shown.unreadAt }))
  }, [shown, key, act])
}

/** A visible page claims at once and shows nothing. A hidden page waits, then claims and notifies. */
function useClaims(unread: readonly Unread[], isHidden: boolean): void {
  const act = useAct()
  const lastAnswer = useLastAnswer()
  const seenRef = useRef<ReadonlySet<string>>(new Set())
  const notifiedRef = useRef<ReadonlySet<string>>(new Set())
  const latest = useLatest(unread)

  useEffect(() => {
    const claim = async ({ id, unreadAt }: Unread) => (await settled(act(mutators.threads.claimNotice({ threadId: id, unreadAt })))).ok
    const find = (key: string) => latest.current.find((thread) => keyOf(thread) === key && thread.noticedAt !== thread.unreadAt)
    const notify = async (key: string) => {
      const thread = document.hidden && mayNotify() ? find(key) : undefined
      if (!thread || !(await claim(thread)) || !document.hidden) return
      notifiedRef.current = new Set(notifiedRef.current).add(thread.id)
      await showNotification(thread.id, notificationOf(thread, await lastAnswer(thread)))
    }
    // A page that becomes visible while it waits claims at once.
    const seenKey = (thread: Unread) => `${keyOf(thread)} ${isHidden}`
    for (const thread of unread) {
      const isOld = serverNowMs() - thread.unreadAt > newsMs
      if (seenRef.current.has(seenKey(thread)) || thread.noticedAt === thread.unreadAt || isOld) continue
      if (isHidden) setTimeout(() => void notify(keyOf(thread)), frontPageMs)
      else void claim(thread)
    }
    seenRef.current = new Set(unread.map(seenKey))
    const isRead = (id: string) => !unread.some((thread) => thread.id === id)
    for (const id of notifiedRef.current) if (isRead(id)) void closeNotification(id)
    notifiedRef.current = new Set([...notifiedRef.current].filter((id) => !isRead(id)))
  }, [unread, isHidden, act, lastAnswer, latest])
}

/** Offers notifications when the user returns to an answer that ended while the page was hidden. Once per browser. */
function useOffer(unread: readonly Unread[], isHidden: boolean): void {
  const hasMissedRef = useRef(false)
  const count = unread.length
  const countRef = useRef(isHidden ? 0 : count)
  useEffect(() => {
    if (isHidden && count > countRef.current) hasMissedRef.current = true
    countRef.current = count
    if (isHidden || !hasMissedRef.current || notificationsEnabled.get() !== null || notificationPermission() !== 'default') return
    setNotificationsEnabled(false)
    toast('info', t('offerNotifications'), {
      id: 'notifications',
      description: t('offerNotificationsDescription'),
      durationMs: offerMs,
      action: { label: t('turnOnNotifications'), onClick: () => void turnOnNotifications() },
    })
  }, [isHidden, count])
}

/**
 * Shows notifications of the operating system, because Android allows no others; it also reports the click (`web/service-worker/`). A page without
 * a service worker shows them itself.
 */
const serviceWorker = async (): Promise<ServiceWorkerRegistration | undefined> => {
  const registration = await navigator.serviceWorker?.getRegistration()
  return registration?.active ? registration : undefined
}

let openThread: (threadId: string) => void = () => undefined

/** A notification replaces an earlier one with the same tag. */
async function showNotification(threadId: string, { title, body }: NotificationText): Promise<void> {
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
async function closeNotification(threadId: string): Promise<void> {
  for (const notification of (await (await serviceWorker())?.getNotifications({ tag: threadId })) ?? []) notification.close()
}

/** Calls `open` when the user clicks a notification. Returns a function that stops this. */
function onNotificationOpened(open: (threadId: string) => void): () => void {
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
  if (answer && waitsForApproval(answer.parts)) return t(asksForInput(answer.parts) ? 'inputNeeded' : 'approvalNeeded')
  return t(answer && isWaitingPlan(answer.parts) ? 'planReady' : 'answerReady')
}
