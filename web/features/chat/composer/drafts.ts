/**
 * Message drafts per thread and page load, kept until they are sent. A draft includes the choices for its message. Each page writes only its
 * own records, so two tabs on one thread cannot overwrite each other. The draft of a closed tab is restored if the composer is empty, and
 * offered to the user otherwise. The draft of a temporary thread is only in memory.
 */

import type { AttachedFile } from '../../../../worker/contract/files/files.ts'
import { isNewThread, newThreadKey, temporaryKey } from '../../../../worker/contract/threads/draft-key.ts'
import { idsWithPrefix, removeAll } from '../../../lib/browser-storage.ts'
import { createId } from '../../../lib/create-id.ts'
import { firstPaintField, hasFirstPaint } from '../../../lib/first-paint.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createPendingOperations, pageId } from '../../../lib/pending-operations.ts'
import { reportDraftWrite } from '../../../lib/storage-health.ts'
import { createStores, type Store } from '../../../lib/store.ts'
import {
  type Content,
  choicesAfter,
  type Draft,
  emptyContent,
  isDefault,
  type Message,
  type MessageChoices,
  parseDraft,
  type StoredDraft,
} from './draft.ts'

const emptyDraft: Draft = { ...emptyContent, editing: null, beforeEditing: emptyContent, uploading: [], interrupted: [], synced: null }
const prefix = 'parley:draft:'
const writeDelayMs = 200

const records = createPendingOperations<StoredDraft>(prefix, parseDraft)
const recordOf = (key: string): string => `${key}.${pageId}`
/**
 * Record ids that `restoreOrphans` has handled. It runs after every change of `orphaned` and must not restore an offered draft when another
 * is dismissed.
 */
const handledOrphanIds = new Set<string>()

const drafts = createStores(() => emptyDraft)
const unwritten = new Map<string, Draft>()
/** Keys of drafts that are never stored. */
const keysInMemory = new Set([temporaryKey])
let timer: ReturnType<typeof setTimeout> | undefined

export const draftOf = drafts.of

/** The newest revision of the draft on the server, with those on their way. */
export const latestRevision = (synced: Draft['synced']): string | null | undefined => synced?.pendingRevisions.at(-1) ?? synced?.revision

export function setDraft(key: string, changes: Partial<Draft>): void {
  const store = draftOf(key)
  const draft = { ...store.get(), ...changes }
  store.set(draft)
  unwritten.set(key, draft)
  timer ??= setTimeout(writeAll, writeDelayMs)
}

export const choose = (key: string, changes: Partial<MessageChoices>): void =>
  setDraft(key, { choices: { ...draftOf(key).get().choices, ...changes } })

/** The choices after a text of this origin was inserted. */
export function choicesWithOrigin(key: string, origin: string): MessageChoices {
  const { choices } = draftOf(key).get()
  return { ...choices, origins: [...new Set([...choices.origins, origin])] }
}

export const setInMemory = (key: string, isInMemory: boolean): void => void (isInMemory ? keysInMemory.add(key) : keysInMemory.delete(key))

/** Returns to the draft before. */
export function endEditing(key: string): void {
  setDraft(key, { ...draftOf(key).get().beforeEditing, editing: null, beforeEditing: emptyContent })
}

/** The message leaves the composer for this thread, and its choices with it. */
export function takeMessage(key: string, threadId: string): Message {
  const draft = draftOf(key).get()
  if (draft.editing) endEditing(key)
  else {
    setDraft(key, { ...emptyContent, choices: choicesAfter(draft.choices, isNewThread(key)), interrupted: [] })
    if (key !== threadId) {
      if (keysInMemory.has(key)) keysInMemory.add(threadId)
      choose(threadId, choicesAfter(draft.choices, false))
    }
  }
  return messageOf(draft)
}

/** A refused message returns to the composer. */
export const returnMessage = (key: string, message: Message): void => setDraft(key, messageOf(message))

/** Between the drafts of a new thread and a temporary thread, and back to a new thread if the server refuses the first message. */
export function moveDraft(from: string, to: string): void {
  const draft = draftOf(from).get()
  if (isUntouched(draft) || !isEmpty(draftOf(to).get())) return
  setDraft(to, { ...draft, synced: draftOf(to).get().synced })
  // With `synced`, a page that was closed too early ends the draft on the server when it opens again.
  setDraft(from, { ...emptyDraft, synced: draft.synced })
}

/** Drafts of closed tabs that this page offers, by record id. */
export const offeredDrafts: Store<ReadonlyMap<string, StoredDraft>> = records.orphaned

/** Puts an offered draft into the composer. The draft that was there is offered instead. */
export function restoreOffered(id: string): void {
  const offered = offeredDrafts.get().get(id)
  if (!offered) return
  const { key } = offered
  const own = draftOf(key).get()
  setAside(key, own)
  setDraft(key, { ...restorableFields(offered), interrupted: union(own.interrupted, offered.interrupted), synced: own.synced })
  resolveRestored(id, key)
}

/** Puts other content into the composer. The draft that was there is offered. Stored at once, because this may be the only copy. */
export function replaceDraft(key: string, { files = [], ...content }: Pick<Content, 'text'> & Partial<Content>): void {
  const own = draftOf(key).get()
  // The second click of a double click must not offer what the first one put there.
  const isThere = own.text === content.text && JSON.stringify(own.files) === JSON.stringify(files)
  if (!isThere) setAside(key, own)
  setDraft(key, { files, ...content, editing: null, beforeEditing: emptyContent })
  writeAll()
}

/** Offers a draft, with its choices, that another text is about to replace. */
export function setAside(key: string, own: Draft): void {
  if (isEmpty(own) && !own.editing) return
  offer(`${key}.${createId()}`, { ...own, key, uploading: [], interrupted: [], synced: null })
  choose(key, choicesAfter(own.choices, isNewThread(key)))
}

/** Offers a message that cannot return to a composer in use. Stored at once, because this may be the only copy. */
export const offerMessage = (key: string, message: Content & Pick<Message, 'editing'>): void =>
  offer(`${key}.${createId()}`, { ...message, beforeEditing: emptyContent, key, uploading: [], interrupted: [], synced: null })

function offer(id: string, draft: Omit<StoredDraft, 'isOffered'>): void {
  handledOrphanIds.add(id)
  records.add(id, { ...draft, isOffered: true }, !keysInMemory.has(draft.key))
  records.abandon(id)
}

export const dismissOffered = (id: string): void => void records.resolve(id)

/** Restores orphaned drafts into empty composers and offers the others. */
function restoreOrphans(): void {
  // Drafts that were in a composer come first, then the newest.
  const orphans = [...records.orphaned.get()].reverse().sort(([, a], [, b]) => Number(a.isOffered) - Number(b.isOffered))
  for (const [id, draft] of orphans) {
    if (handledOrphanIds.has(id)) continue
    handledOrphanIds.add(id)
    const { key } = draft
    const own = draftOf(key).get()
    const interrupted = union(own.interrupted, draft.interrupted)
    const isFree = isUntouched(own) && !own.editing && own.uploading.length === 0
    if (isFree) setDraft(key, { ...restorableFields(draft), interrupted })
    else if (isSame(own, draft) || (isEmpty(draft) && !draft.editing) || isOffered(id, draft))
      // The text of an earlier page that is still on the server is no draft of another device.
      setDraft(key, { interrupted, synced: own.synced ?? draft.synced })
    else {
      offer(id, draft)
      continue
    }
    resolveRestored(id, key)
  }
}

/** True if another closed tab's draft is offered with the same content: several tabs may have taken one draft from the server. */
const isOffered = (id: string, draft: StoredDraft): boolean =>
  [...offeredDrafts.get()].some(
    ([otherId, other]) => otherId !== id && handledOrphanIds.has(otherId) && other.key === draft.key && isSame(other, draft),
  )

/** Removes a restored record after this page's record is stored, so that a crash or a full storage loses nothing. */
function resolveRestored(id: string, key: string): void {
  writeAll()
  if (!unwritten.has(key)) records.resolve(id)
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])]
}

const restorableFields = ({ synced, ...draft }: Draft) => ({ ...messageOf(draft), synced })

const messageOf = ({ text, files, choices, editing, beforeEditing }: Message): Message => ({ text, files, choices, editing, beforeEditing })

const isSame = (a: Draft, b: Draft): boolean => fingerprintOf(a) === fingerprintOf(b)

const fingerprintOf = ({ text, files, editing, beforeEditing }: Draft): string => {
  const idsOf = (attached: readonly AttachedFile[]) => attached.map(({ id }) => id)
  return JSON.stringify([text, idsOf(files), editing?.messageId, beforeEditing.text, idsOf(beforeEditing.files)])
}

/** Threads with drafts in this browser, of all its tabs. The server may have deleted them. */
export const threadsWithDrafts = (): readonly string[] =>
  [...new Set(idsWithPrefix(prefix).map((id) => id.slice(0, id.lastIndexOf('.'))))].filter((key) => !isNewThread(key))

/** Deletes the draft from this page and all stored records of the thread. */
export function deleteDraft(key: string): void {
  draftOf(key).set(emptyDraft)
  unwritten.delete(key)
  records.resolve(recordOf(key))
  for (const [id, offered] of offeredDrafts.get()) if (offered.key === key) records.resolve(id)
  removeAll(`${prefix}${key}.`)
}

/** For signing out and for a new guest: the next user must not find these texts. The text of the first paint was typed in this page. */
export function deleteDrafts(): void {
  for (const store of drafts.all()) store.set(emptyDraft)
  unwritten.clear()
  clearTimeout(timer)
  timer = undefined
  records.clear()
  adoptFirstPaint()
}

let adoptedText = ''

/** Takes over the text that is typed before the composer is drawn. A draft that was restored meanwhile is offered. */
function adoptFirstPaint(): void {
  if (!firstPaintField || !hasFirstPaint()) return
  const { value: text, dataset } = firstPaintField
  if (text === '' && adoptedText === '') return
  const key = dataset.draftKey ?? newThreadKey
  const own = draftOf(key).get()
  if (own.text !== adoptedText) setAside(key, own)
  adoptedText = text
  const { choices, synced } = draftOf(key).get()
  setDraft(key, { ...emptyDraft, text, choices, synced })
}

function writeAll(): void {
  clearTimeout(timer)
  timer = undefined
  // A draft that could not be stored is tried again with the next write.
  for (const [key, draft] of unwritten) {
    // With the record, the next page recognizes the draft on the server as its own and ends that draft.
    const isOnServer = draft.synced && (draft.synced.text !== '' || draft.synced.pendingRevisions.length > 0)
    const hasContent =
      !keysInMemory.has(key) &&
      (!isUntouched(draft) || draft.editing || draft.uploading.length > 0 || draft.interrupted.length > 0 || isOnServer)
    if (!hasContent) records.resolve(recordOf(key))
    if (!hasContent || records.add(recordOf(key), { ...draft, key, isOffered: false })) unwritten.delete(key)
  }
  reportDraftWrite(unwritten.size === 0)
}

export const isEmpty = ({ text, files }: Pick<Content, 'text' | 'files'>): boolean => text.trim() === '' && files.length === 0

const isUntouched = (content: Content): boolean => isEmpty(content) && isDefault(content.choices)

adoptFirstPaint()
onLocalDataDeletion(deleteDrafts)
records.orphaned.subscribe(restoreOrphans)
restoreOrphans()
firstPaintField?.addEventListener('input', adoptFirstPaint)
// A closed or frozen page runs no timers.
globalThis.addEventListener?.('pagehide', writeAll)
