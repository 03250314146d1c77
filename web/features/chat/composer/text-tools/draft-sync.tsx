/**
 * Keeps the draft of a composer equal on all devices of the user. Writes after a pause or when the field loses the focus, one write at a time. A
 * draft of another device never replaces local changes or a text that is being edited; it is offered (ADR 0116). Loads with the first draft.
 */
import { type RefObject, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { lastUserId } from '../../../../lib/local-user-data.ts'
import { useStore, useStored } from '../../../../lib/store.ts'
import { useLatest } from '../../../../lib/use-stable.ts'
import type { DraftRow } from '../../../../sync/rows.ts'
import { useSaveDraft } from '../../../../sync/server-drafts.ts'
import { DraftOffer } from '../draft-notices.tsx'
import { draftOf, isEmpty, offeredDrafts, offerOwn, setDraft } from '../drafts.ts'
import { t } from '../texts/en.ts'
import { syncedTo, writeDraft } from '../write-draft.ts'
import { draftStep, savedText } from './draft-step.ts'

/** Chosen: a pause in typing. */
const pauseMs = 1000
/** Chosen: at most 12 writes a minute by a user who types with many pauses. */
const intervalMs = 5000
/** Shared by all composers of the page, so that reopening a thread does not restart the interval. */
let lastSavedAtMs = 0

type DraftSyncProps = {
  readonly draftKey: string
  /** Null: the next new thread. */
  readonly threadId: string | null
  readonly row: DraftRow | undefined
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
}

export function DraftSync({ draftKey, threadId, row, fieldRef }: DraftSyncProps) {
  const local = useStore(draftOf(draftKey))
  const save = useSaveDraft()
  const [isPending, setPending] = useState(false)
  /** The text that the server refused. The text is sent again only after it has changed. */
  const [refusedText, setRefusedText] = useState<string>()
  const isFocused = useIsFocused(fieldRef)
  const [isTyping, setTyping] = useState(local.text !== '')
  useEffect(() => {
    const field = fieldRef.current
    const onInput = () => setTyping(true)
    field?.addEventListener('input', onInput)
    if (!isFocused) setTyping(false)
    return () => field?.removeEventListener('input', onInput)
  }, [fieldRef, isFocused])
  /** True if the same text is already offered as the draft of a closed tab. */
  const isOfferedByTab = useStored(offeredDrafts, (offered) =>
    [...offered.values()].some(({ key, text }) => key === draftKey && text === row?.text),
  )
  // Right after signing out, the queries still return rows of the previous user.
  const isOwn = row === undefined || row.userId === lastUserId()
  const step = isOwn ? draftStep({ local, row, isPending, isFocused, isTyping }) : 'none'
  const text = savedText(local.text)
  const isDue = step === 'save' && text !== refusedText

  // At commit: in a passive effect, the row could replace text that the user has typed since.
  useLayoutEffect(() => {
    if (!row || (step !== 'acceptRevision' && step !== 'replaceText')) return
    const { synced } = draftOf(draftKey).get()
    setDraft(draftKey, { ...(step === 'replaceText' && { text: row.text }), synced: syncedTo(synced, row) })
  }, [draftKey, step, row])

  const send = async () => {
    setPending(true)
    lastSavedAtMs = Date.now()
    const outcome = await writeDraft(save, draftKey, { threadId, text })
    if (!outcome.ok && outcome.refusal.code !== 'draft_changed') setRefusedText(text)
    setPending(false)
  }
  const latestFlush = useLatest(isDue ? () => void send() : null)
  useEffect(() => {
    if (!isDue) return undefined
    // The text is usually empty because the message was just sent, and sending ends the draft without a write.
    const wait = isFocused || text === '' ? Math.max(pauseMs, lastSavedAtMs + intervalMs - Date.now()) : 0
    const timer = setTimeout(() => latestFlush.current?.(), wait)
    return () => clearTimeout(timer)
  }, [isDue, isFocused, text, latestFlush])
  useEffect(() => {
    const flush = () => latestFlush.current?.()
    const onVisibility = () => document.visibilityState === 'hidden' && flush()
    // A hidden page may run no timers.
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      // An empty text is not written here: its message was usually just sent.
      if (!isEmpty(draftOf(draftKey).get())) flush()
    }
  }, [draftKey, latestFlush])

  if (step !== 'offer' || !row || isOfferedByTab) return null
  const use = () => {
    const own = draftOf(draftKey).get()
    if (own.text !== own.synced?.text) offerOwn(draftKey, { ...own, files: [] })
    setDraft(draftKey, { text: row.text, synced: syncedTo(null, row) })
  }
  // The next write replaces the draft of the other device with the local text.
  const dismiss = () => setDraft(draftKey, { synced: syncedTo(null, row) })
  return <DraftOffer text={t('draftOfDevice', { preview: row.text.trim() })} onUse={use} onDismiss={dismiss} />
}

/** True while both the window and the field have the focus. */
function useIsFocused(fieldRef: RefObject<HTMLTextAreaElement | null>): boolean {
  return useSyncExternalStore(subscribeToFocus, () => document.hasFocus() && document.activeElement === fieldRef.current)
}

function subscribeToFocus(listener: () => void): () => void {
  const controller = new AbortController()
  const { signal } = controller
  // `document.activeElement` is updated after the event, so read it in a microtask.
  const later = () => queueMicrotask(listener)
  for (const type of ['focus', 'blur']) window.addEventListener(type, later, { signal })
  for (const type of ['focusin', 'focusout', 'visibilitychange']) document.addEventListener(type, later, { signal })
  return () => controller.abort()
}
