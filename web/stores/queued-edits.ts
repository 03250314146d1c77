/**
 * Queued messages that are open in an editor on this page: what was typed is kept across switching threads and reloading, because the message
 * itself may be sent, removed or changed elsewhere at any moment.
 */
import { createId } from '../lib/create-id.ts'
import { createStore, type Store } from './store.ts'

export type QueuedEdit = {
  readonly threadId: string
  readonly text: string
  /** What the message said when the person last looked at it and decided. */
  readonly was: string
  /** On its way to the server; shown again if that refuses it. */
  readonly isSaving: boolean
}

type Edits = ReadonlyMap<string, QueuedEdit>
type Kept = { readonly editorId: string; readonly edits: Edits }

const key = 'parley:queued-edits'
const kept = readKept()

/** Of this page, also after a reload of it. */
export const editorId: string = kept.editorId

/** By the id of the message. */
export const queuedEdits: Store<Edits> = createStore(kept.edits)

export function openQueuedEdit(id: string, threadId: string, text: string): void {
  put(id, { threadId, text, was: text, isSaving: false })
}

export function changeQueuedEdit(id: string, changes: Partial<Omit<QueuedEdit, 'threadId'>>): void {
  const edit = queuedEdits.get().get(id)
  if (edit) put(id, { ...edit, ...changes })
}

export function closeQueuedEdit(id: string): void {
  const edits = new Map(queuedEdits.get())
  if (edits.delete(id)) queuedEdits.set(edits)
}

/** For signing out: the next person must not find what this one was writing. */
export function forgetQueuedEdits(): void {
  queuedEdits.set(new Map())
  write()
}

const put = (id: string, edit: QueuedEdit): void => queuedEdits.set(new Map(queuedEdits.get()).set(id, edit))

function write(): void {
  const edits = [...queuedEdits.get()].map(([id, { threadId, text, was }]) => [id, { threadId, text, was }])
  try {
    if (edits.length === 0) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify({ editorId, edits }))
  } catch {
    // Storage may be forbidden or full; then a reload closes the editors.
  }
}

function readKept(): Kept {
  try {
    const value = JSON.parse(sessionStorage.getItem(key) ?? '') as { readonly editorId?: unknown; readonly edits?: unknown }
    if (typeof value.editorId !== 'string' || !Array.isArray(value.edits)) throw new TypeError('not what we keep')
    return { editorId: value.editorId, edits: new Map(value.edits.filter(isKept).map(([id, edit]) => [id, { ...edit, isSaving: false }])) }
  } catch {
    return { editorId: createId(), edits: new Map() }
  }
}

function isKept(pair: unknown): pair is [string, Omit<QueuedEdit, 'isSaving'>] {
  if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'object' || pair[1] === null) return false
  const { threadId, text, was } = pair[1] as { readonly [field in keyof QueuedEdit]?: unknown }
  return [threadId, text, was].every((field) => typeof field === 'string')
}

// What is on its way is written too: whether it arrived nobody would say after a reload.
globalThis.addEventListener?.('pagehide', write)
