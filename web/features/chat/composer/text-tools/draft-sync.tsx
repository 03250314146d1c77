/**
 * Keeps the draft of a composer equal on all devices of the user. Writes after a pause or when the field loses the focus, one write at a time,
 * and at once when the composer unmounts. A draft of another device never replaces local changes or a text that is being edited; it is offered
 * (ADR 0116). Loads with the first draft.
 */
import { type RefObject, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { mutators } from '../../../../../worker/contract/mutators.ts'
import { lastUserId } from '../../../../lib/local-user-data.ts'
import { useStore, useStored } from '../../../../lib/store.ts'
import { useLatest } from '../../../../lib/use-stable.ts'
import { settled, useAct } from '../../../../sync/act.ts'
import type { DraftRow } from '../../../../sync/rows.ts'
import { DraftOffer } from '../draft-notices.tsx'
import { draftOf, offeredDrafts, setAside, setDraft } from '../drafts.ts'
import { writesOf } from '../pending-writes.ts'
import { t } from '../texts/en.ts'
import { acceptRow, syncedTo, writeDraft } from '../write-draft.ts'
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
  const act = useAct()
  const writes = useStore(writesOf(draftKey))
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
  const step = isOwn ? draftStep({ local, row, written: writes?.text, isFocused, isTyping }) : 'none'
  const text = savedText(local.text)
  const isDue = step === 'save' && text !== refusedText && !writes

  // At commit: in a passive effect, the row could replace text that the user has typed since.
  useLayoutEffect(() => {
    if (!row || (step !== 'acceptRevision' && step !== 'replaceText')) return
    acceptRow(draftKey, row, step)
  }, [draftKey, step, row])

  /** Reads the stores, because the composer may have been emptied or left since the last render. */
  const write = async () => {
    const now = draftOf(draftKey).get()
    const current = savedText(now.text)
    const state = { local: now, row, written: writesOf(draftKey).get()?.text, isFocused, isTyping }
    if (!isOwn || draftStep(state) !== 'save' || current === refusedText) return
    lastSavedAtMs = Date.now()
    const outcome = await writeDraft((draft) => settled(act(mutators.drafts.save(draft))), draftKey, { threadId, text: current })
    if (!outcome.ok && outcome.refusal.code !== 'draft_changed') setRefusedText(current)
  }
  const latestWrite = useLatest(write)
  useEffect(() => {
    if (!isDue) return undefined
    // The row that ends a sent draft may arrive after the outcome of its message.
    const wait = isFocused || text === '' ? Math.max(pauseMs, lastSavedAtMs + intervalMs - Date.now()) : 0
    const timer = setTimeout(() => void latestWrite.current(), wait)
    return () => clearTimeout(timer)
  }, [isDue, isFocused, text, latestWrite])
  useEffect(() => {
    const flush = () => void latestWrite.current()
    const onVisibility = () => document.visibilityState === 'hidden' && flush()
    // A hidden page may run no timers.
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      flush()
    }
  }, [latestWrite])

  if (step !== 'offer' || !row || isOfferedByTab) return null
  const use = () => {
    const own = draftOf(draftKey).get()
    if (own.text !== own.synced?.text) setAside(draftKey, { ...own, files: [] })
    const { choices } = draftOf(draftKey).get()
    setDraft(draftKey, { text: row.text, choices: { ...choices, origins: row.origins ?? [] }, synced: syncedTo(null, row) })
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
