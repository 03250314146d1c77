/**
 * Keeps the draft of a composer equal on all devices of the user. Writes after a pause, or when the user leaves the field, one at a time. A draft of
 * another device never replaces own changes or a text that has the focus: it is offered. Loads when there is a draft.
 */
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { createId } from '../../../../lib/create-id.ts'
import { lastUserId } from '../../../../lib/local-user-data.ts'
import { useStore, useStored } from '../../../../lib/store.ts'
import { settled } from '../../../../sync/actions.ts'
import type { DraftRow } from '../../../../sync/rows.ts'
import { useSaveDraft } from '../../../../sync/server-drafts.ts'
import { Button } from '../../../../ui/button.tsx'
import { draftOf, isEmpty, offeredDrafts, offerOwn, setDraft } from '../drafts.ts'
import { Notice } from '../notice.tsx'
import { draftStep, savedText } from './draft-step.ts'
import { t } from './texts/t.ts'

/** Chosen: a pause in typing. */
const pauseMs = 1000
/** Chosen: at most 12 writes a minute by a user who types with many pauses. */
const intervalMs = 5000
/** Of this page, over all composers: a thread that is opened again continues the interval. */
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
  /** The text that the server refused. It is not sent again until it changes. */
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
  /** The draft of a closed tab of this browser is offered already. */
  const isOfferedByTab = useStored(offeredDrafts, (offered) =>
    [...offered.values()].some(({ key, text }) => key === draftKey && text === row?.text),
  )
  // After signing out, the rows of the last user are still there for a moment.
  const isOwn = row === undefined || row.userId === lastUserId()
  const step = isOwn ? draftStep({ local, row, isPending, isFocused, isTyping }) : 'none'
  const text = savedText(local.text)
  const isDue = step === 'save' && text !== refusedText

  useEffect(() => {
    if (!row || (step !== 'adopt' && step !== 'take')) return
    const { synced } = draftOf(draftKey).get()
    const sent = synced?.sent.filter((revision) => revision !== row.revision) ?? []
    setDraft(draftKey, { ...(step === 'take' && { text: row.text }), synced: { revision: row.revision, text: row.text, sent } })
  }, [draftKey, step, row])

  const send = async () => {
    const { synced } = draftOf(draftKey).get()
    const base = synced?.revision ?? null
    const revision = createId()
    setDraft(draftKey, { synced: { revision: base, text: synced?.text ?? '', sent: [...(synced?.sent ?? []), revision].slice(-3) } })
    setPending(true)
    lastSavedAtMs = Date.now()
    const outcome = await settled(save({ threadId, text, revision, base }))
    if (!outcome.ok) {
      const now = draftOf(draftKey).get().synced
      if (now) setDraft(draftKey, { synced: { ...now, sent: now.sent.filter((id) => id !== revision) } })
      if (outcome.refusal.code !== 'draft_changed') setRefusedText(text)
    }
    setPending(false)
  }
  const flushRef = useRef<(() => void) | null>(null)
  flushRef.current = isDue ? () => void send() : null
  useEffect(() => {
    if (!isDue) return undefined
    // An empty text is usually that of a message that was just sent, which ends the draft.
    const wait = isFocused || text === '' ? Math.max(pauseMs, lastSavedAtMs + intervalMs - Date.now()) : 0
    const timer = setTimeout(() => flushRef.current?.(), wait)
    return () => clearTimeout(timer)
  }, [isDue, isFocused, text])
  useEffect(() => {
    const flush = () => flushRef.current?.()
    const onVisibility = () => document.visibilityState === 'hidden' && flush()
    // A hidden page may run no timers.
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      // As above.
      if (!isEmpty(draftOf(draftKey).get())) flush()
    }
  }, [draftKey])

  if (step !== 'offer' || !row || isOfferedByTab) return null
  const use = () => {
    const own = draftOf(draftKey).get()
    if (own.text !== own.synced?.text) offerOwn(draftKey, { ...own, files: [] })
    setDraft(draftKey, { text: row.text, synced: { revision: row.revision, text: row.text, sent: [] } })
  }
  // The own text replaces the other one.
  const dismiss = () => setDraft(draftKey, { synced: { revision: row.revision, text: row.text, sent: [] } })
  return (
    <Notice
      action={
        <Button size="sm" onClick={use}>
          {t('use')}
        </Button>
      }
      dismiss={{ label: t('dismissDraft'), onClick: dismiss }}
    >
      <span className="line-clamp-1 break-all">{t('draftOfDevice', { preview: row.text.trim() })}</span>
    </Notice>
  )
}

/** True while keys go into the field: also the window must have the focus. */
function useIsFocused(fieldRef: RefObject<HTMLTextAreaElement | null>): boolean {
  return useSyncExternalStore(subscribeToFocus, () => document.hasFocus() && document.activeElement === fieldRef.current)
}

function subscribeToFocus(listener: () => void): () => void {
  const controller = new AbortController()
  const { signal } = controller
  // The focus has moved when the microtask runs.
  const later = () => queueMicrotask(listener)
  for (const type of ['focus', 'blur']) window.addEventListener(type, later, { signal })
  for (const type of ['focusin', 'focusout', 'visibilitychange']) document.addEventListener(type, later, { signal })
  return () => controller.abort()
}
