/**
 * What is being typed, per thread: kept across switching, reloading and crashing, until it is sent. Editing an earlier message
 * borrows the composer; what stood there waits aside and comes back.
 */
import { createStore, type Store } from './store.ts'

export type Editing = { readonly messageId: string; readonly parentId: string | null }

export type Draft = {
  readonly text: string
  readonly editing: Editing | null
  /** The text that stood here before editing began. */
  readonly aside: string
}

/** The draft of the thread that does not exist yet. */
export const newThreadKey = 'new'

const emptyDraft: Draft = { text: '', editing: null, aside: '' }
const prefix = 'parley:draft:'
const writeDelayMs = 200

const drafts = new Map<string, Store<Draft>>()
const unwritten = new Map<string, Draft>()
let timer: ReturnType<typeof setTimeout> | undefined

export function draftOf(key: string): Store<Draft> {
  const known = drafts.get(key)
  if (known) return known
  const store = createStore(readDraft(key))
  drafts.set(key, store)
  return store
}

export function setDraft(key: string, changes: Partial<Draft>): void {
  const store = draftOf(key)
  const draft = { ...store.get(), ...changes }
  store.set(draft)
  unwritten.set(key, draft)
  timer ??= setTimeout(writeAll, writeDelayMs)
}

export function beginEditing(key: string, editing: Editing, text: string): void {
  const draft = draftOf(key).get()
  setDraft(key, { text, editing, aside: draft.editing ? draft.aside : draft.text })
}

/** After cancelling, and after the edited message was sent. */
export function endEditing(key: string): void {
  setDraft(key, { text: draftOf(key).get().aside, editing: null, aside: '' })
}

/** A thread that was refused with its first message is a new thread again, and so is its draft. */
export function moveDraft(from: string, to: string): void {
  const draft = draftOf(from).get()
  if (draft.text === '' || draftOf(to).get().text !== '') return
  setDraft(to, draft)
  setDraft(from, emptyDraft)
}

/** For signing out: the next person must not find what this one was writing. */
export function forgetDrafts(): void {
  for (const store of drafts.values()) store.set(emptyDraft)
  unwritten.clear()
  withStorage((storage) => {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index))
    for (const key of keys) if (key?.startsWith(prefix)) storage.removeItem(key)
  })
}

function writeAll(): void {
  clearTimeout(timer)
  timer = undefined
  withStorage((storage) => {
    for (const [key, draft] of unwritten) {
      if (draft.text === '' && !draft.editing) storage.removeItem(prefix + key)
      else storage.setItem(prefix + key, JSON.stringify(draft))
    }
  })
  unwritten.clear()
}

function readDraft(key: string): Draft {
  return withStorage((storage) => parseDraft(storage.getItem(prefix + key))) ?? emptyDraft
}

function parseDraft(json: string | null): Draft {
  if (json === null) return emptyDraft
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null) return emptyDraft
  const { text, editing, aside } = value as { readonly [key in keyof Draft]?: unknown }
  return { text: asText(text), aside: asText(aside), editing: asEditing(editing) }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

function asEditing(value: unknown): Editing | null {
  if (typeof value !== 'object' || value === null || !('messageId' in value) || !('parentId' in value)) return null
  const { messageId, parentId } = value
  if (typeof messageId !== 'string' || (parentId !== null && typeof parentId !== 'string')) return null
  return { messageId, parentId }
}

/** Storage may be full, forbidden, or hold what an older version wrote; then drafts last as long as the page. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(localStorage)
  } catch {
    return undefined
  }
}

// A page that is closed or put to sleep gets no later chance.
if (typeof window !== 'undefined') window.addEventListener('pagehide', writeAll)
