/**
 * Message drafts per thread and page load, kept until they are sent. Each page writes only its own records, so two tabs on one thread cannot
 * overwrite each other. The draft of a closed tab is restored if the composer is empty, and offered to the user otherwise. The text of a
 * temporary chat is only in memory.
 */

import { newThreadKey, temporaryKey } from '../../../../worker/contract/draft-key.ts'
import { type AttachedFile, parseFiles } from '../../../../worker/contract/files.ts'
import { isTurnMode, type TurnMode } from '../../../../worker/contract/modes.ts'
import { idsWithPrefix, removeAll } from '../../../lib/browser-storage.ts'
import { createId } from '../../../lib/create-id.ts'
import { firstPaintField, hasFirstPaint } from '../../../lib/first-paint.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createPendingOperations, pageId } from '../../../lib/pending-operations.ts'
import { reportDraftWrite } from '../../../lib/storage-health.ts'
import { createStores, type Store } from '../../../lib/store.ts'

export type Editing = {
  readonly messageId: string
  readonly parentId: string | null
  /** The mode of the edited message. The mode of the thread is unchanged. */
  readonly mode: TurnMode
}

/** The draft on the server that the local text is based on. `pendingRevisions`: of own writes without an outcome (`write-draft.ts`). */
export type Synced = { readonly revision: string | null; readonly text: string; readonly pendingRevisions: readonly string[] }

type Content = { readonly text: string; readonly files: readonly AttachedFile[] }

export type Draft = {
  readonly text: string
  /** Uploaded already. */
  readonly files: readonly AttachedFile[]
  readonly editing: Editing | null
  /** Draft that editing replaced; restored when editing ends. */
  readonly beforeEditing: Content
  /** Names of the files whose upload has not finished in this page. */
  readonly uploading: readonly string[]
  /** Names of files whose upload was cut off when an earlier page closed; kept until the user attaches them again or dismisses the notice. */
  readonly interrupted: readonly string[]
  readonly synced: Synced | null
}

type StoredDraft = Draft & {
  readonly key: string
  /** Its page could not restore it, because the composer held another draft. */
  readonly isOffered: boolean
}

const nothing: Content = { text: '', files: [] }
const emptyDraft: Draft = { ...nothing, editing: null, beforeEditing: nothing, uploading: [], interrupted: [], synced: null }
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
  if (keysInMemory.has(key)) return
  unwritten.set(key, draft)
  timer ??= setTimeout(writeAll, writeDelayMs)
}

export const setInMemory = (key: string, isInMemory: boolean): void => void (isInMemory ? keysInMemory.add(key) : keysInMemory.delete(key))

export function beginEditing(key: string, editing: Editing, { text, files }: Content): void {
  const draft = draftOf(key).get()
  setDraft(key, { text, files, editing, beforeEditing: draft.editing ? draft.beforeEditing : { text: draft.text, files: draft.files } })
}

/** After the message was sent, or editing was cancelled. */
export function endEditing(key: string): void {
  const { editing, beforeEditing, interrupted } = draftOf(key).get()
  setDraft(key, { ...beforeEditing, editing: null, beforeEditing: nothing, interrupted: editing ? interrupted : [] })
}

/** Between the drafts of a new thread and a temporary chat, and back to a new thread if the server refuses the first message. */
export function moveDraft(from: string, to: string): void {
  const draft = draftOf(from).get()
  if (isEmpty(draft) || !isEmpty(draftOf(to).get())) return
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
  setDraft(key, { ...restorableFields(offered), interrupted: union(own.interrupted, offered.interrupted), synced: own.synced })
  resolveRestored(id, key)
  offerOwn(key, own)
}

/** Puts a new text into the composer. The draft that was there is offered. */
export function replaceDraft(key: string, text: string): void {
  const own = draftOf(key).get()
  setDraft(key, { ...nothing, text, editing: null, beforeEditing: nothing })
  offerOwn(key, own)
}

/** Offers a draft that another one replaces. */
export function offerOwn(key: string, own: Draft): void {
  if (isEmpty(own) && !own.editing) return
  offer(`${key}.${createId()}`, { ...own, key, uploading: [], interrupted: [], synced: null })
}

function offer(id: string, draft: Omit<StoredDraft, 'isOffered'>): void {
  handledOrphanIds.add(id)
  records.add(id, { ...draft, isOffered: true })
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
    const isFree = isEmpty(own) && !own.editing && own.uploading.length === 0
    if (isFree) setDraft(key, { ...restorableFields(draft), interrupted })
    else if (isSame(own, draft) || (isEmpty(draft) && !draft.editing) || isOffered(id, draft)) setDraft(key, { interrupted })
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

const restorableFields = ({ text, files, editing, beforeEditing, synced }: Draft) => ({ text, files, editing, beforeEditing, synced })

const isSame = (a: Draft, b: Draft): boolean => fingerprintOf(a) === fingerprintOf(b)

const fingerprintOf = ({ text, files, editing, beforeEditing }: Draft): string => {
  const idsOf = (content: Content) => content.files.map(({ id }) => id)
  return JSON.stringify([text, idsOf({ text, files }), editing?.messageId, beforeEditing.text, idsOf(beforeEditing)])
}

/** Keys of the drafts in this browser, of all its tabs. */
export const draftKeys = (): readonly string[] => [...new Set(idsWithPrefix(prefix).map((id) => id.slice(0, id.lastIndexOf('.'))))]

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
  if (own.text !== adoptedText) offerOwn(key, own)
  adoptedText = text
  setDraft(key, { ...emptyDraft, text })
}

function writeAll(): void {
  clearTimeout(timer)
  timer = undefined
  // A draft that could not be stored is tried again with the next write.
  for (const [key, draft] of unwritten) {
    // With the record, the next page recognizes the draft on the server as its own and ends that draft.
    const isOnServer = draft.synced && (draft.synced.text !== '' || draft.synced.pendingRevisions.length > 0)
    const hasContent = !isEmpty(draft) || draft.editing || draft.uploading.length > 0 || draft.interrupted.length > 0 || isOnServer
    if (!hasContent) records.resolve(recordOf(key))
    if (!hasContent || records.add(recordOf(key), { ...draft, key, isOffered: false })) unwritten.delete(key)
  }
  reportDraftWrite(unwritten.size === 0)
}

/** Uploads end with their page, so stored `uploading` names become `interrupted`. */
function parseDraft(value: object): StoredDraft | null {
  const { key, text, files, editing, beforeEditing, uploading, interrupted, isOffered, synced } = value as {
    readonly [field in keyof StoredDraft]?: unknown
  }
  if (typeof key !== 'string') return null
  const content = { ...asContent({ text, files }), beforeEditing: asContent(beforeEditing), editing: parseEditing(editing) }
  const names = union(asNames(interrupted), asNames(uploading))
  return { key, isOffered: isOffered === true, ...content, uploading: [], interrupted: names, synced: parseSynced(synced) }
}

function parseSynced(value: unknown): Synced | null {
  if (typeof value !== 'object' || value === null) return null
  const { revision, text, pendingRevisions } = value as { readonly [key in keyof Synced]?: unknown }
  return { revision: asText(revision) || null, text: asText(text), pendingRevisions: asNames(pendingRevisions) }
}

export const isEmpty = ({ text, files }: Content): boolean => text.trim() === '' && files.length === 0

function asContent(value: unknown): Content {
  if (typeof value !== 'object' || value === null) return nothing
  const { text, files } = value as { readonly [key in keyof Content]?: unknown }
  return { text: asText(text), files: parseFiles(files) }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

export function parseEditing(value: unknown): Editing | null {
  if (typeof value !== 'object' || value === null || !('messageId' in value) || !('parentId' in value)) return null
  const { messageId, parentId } = value
  if (typeof messageId !== 'string' || (parentId !== null && typeof parentId !== 'string')) return null
  return { messageId, parentId, mode: 'mode' in value && isTurnMode(value.mode) ? value.mode : 'chat' }
}

adoptFirstPaint()
onLocalDataDeletion(deleteDrafts)
records.orphaned.subscribe(restoreOrphans)
restoreOrphans()
firstPaintField?.addEventListener('input', adoptFirstPaint)
// A closed or frozen page runs no timers.
globalThis.addEventListener?.('pagehide', writeAll)
