/**
 * What is being typed, per thread: kept across switching, reloading and crashing, until it is sent. Editing an earlier message
 * borrows the composer; what stood there waits aside and comes back.
 */

import { type AttachedFile, parseFiles } from '../../worker/contract/files.ts'
import { isTurnMode, type TurnMode } from '../../worker/contract/modes.ts'
import { forgetAll, keysBelow, withStorage } from './browser-storage.ts'
import { createStore, type Store } from './store.ts'

export type Editing = {
  readonly messageId: string
  readonly parentId: string | null
  /** How it is to be answered; the thread's own choice waits until the edit ends. */
  readonly mode: TurnMode
}

type Content = { readonly text: string; readonly files: readonly AttachedFile[] }

export type Draft = {
  readonly text: string
  /** Stored already, and sent with the text. */
  readonly files: readonly AttachedFile[]
  readonly editing: Editing | null
  /** What stood here before editing began. */
  readonly aside: Content
}

/** The draft of the thread that does not exist yet. */
export const newThreadKey = 'new'

const nothing: Content = { text: '', files: [] }
const emptyDraft: Draft = { ...nothing, editing: null, aside: nothing }
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

export function beginEditing(key: string, editing: Editing, { text, files }: Content): void {
  const draft = draftOf(key).get()
  setDraft(key, { text, files, editing, aside: draft.editing ? draft.aside : { text: draft.text, files: draft.files } })
}

/** After cancelling, and after the edited message was sent. */
export function endEditing(key: string): void {
  setDraft(key, { ...draftOf(key).get().aside, editing: null, aside: nothing })
}

/** A thread that was refused with its first message is a new thread again, and so is its draft. */
export function moveDraft(from: string, to: string): void {
  const draft = draftOf(from).get()
  if (isEmpty(draft) || !isEmpty(draftOf(to).get())) return
  setDraft(to, draft)
  setDraft(from, emptyDraft)
}

/** Keys of the drafts that this browser keeps. */
export const draftedThreads = (): readonly string[] => {
  const keys = withStorage((storage) => keysBelow(storage, prefix)) ?? []
  return keys.map((key) => key.slice(prefix.length))
}

export function forgetDraft(key: string): void {
  drafts.get(key)?.set(emptyDraft)
  unwritten.delete(key)
  withStorage((storage) => storage.removeItem(prefix + key))
}

/** For signing out: the next person must not find what this one was writing. */
export function forgetDrafts(): void {
  for (const store of drafts.values()) store.set(emptyDraft)
  unwritten.clear()
  forgetAll(prefix)
}

function writeAll(): void {
  clearTimeout(timer)
  timer = undefined
  withStorage((storage) => {
    for (const [key, draft] of unwritten) {
      if (isEmpty(draft) && !draft.editing) storage.removeItem(prefix + key)
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
  const { text, files, editing, aside } = value as { readonly [key in keyof Draft]?: unknown }
  return { ...asContent({ text, files }), aside: asContent(aside), editing: asEditing(editing) }
}

export const isEmpty = ({ text, files }: Content): boolean => text.trim() === '' && files.length === 0

function asContent(value: unknown): Content {
  if (typeof value !== 'object' || value === null) return nothing
  const { text, files } = value as { readonly [key in keyof Content]?: unknown }
  return { text: asText(text), files: parseFiles(files) }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

function asEditing(value: unknown): Editing | null {
  if (typeof value !== 'object' || value === null || !('messageId' in value) || !('parentId' in value)) return null
  const { messageId, parentId } = value
  if (typeof messageId !== 'string' || (parentId !== null && typeof parentId !== 'string')) return null
  return { messageId, parentId, mode: 'mode' in value && isTurnMode(value.mode) ? value.mode : 'chat' }
}

// A page that is closed or put to sleep gets no later chance.
if (typeof window !== 'undefined') window.addEventListener('pagehide', writeAll)
