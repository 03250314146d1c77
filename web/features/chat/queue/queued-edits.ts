/**
 * Queued messages that are open in an editor of this page. The text survives thread switches, reloads and crashes, because the message can
 * be sent, removed or changed elsewhere at any time.
 */
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createPendingOperations, pageId } from '../../../lib/pending-operations.ts'
import { createStore, type Store } from '../../../lib/store.ts'

export type QueuedEdit = {
  readonly threadId: string
  readonly text: string
  /** The message text that the user started from or last confirmed. */
  readonly was: string
  /** Page id at opening. Identifies the editor on the server, also after another page has adopted it. */
  readonly editorId: string
  /**
   * `saving`: being sent; opens again if it is refused. `unacknowledged`: its page closed or hid during the save, so the outcome is unknown.
   * Repeating the save is idempotent and returns the outcome.
   */
  readonly state: 'open' | 'saving' | 'unacknowledged'
}

type Edits = ReadonlyMap<string, QueuedEdit>
type StoredEdit = QueuedEdit & { readonly id: string }

const writeDelayMs = 200

/** By message id. */
export const queuedEdits: Store<Edits> = createStore<Edits>(new Map())

const operations = createPendingOperations<StoredEdit>('parley:queued-edit:', parseStoredEdit)
const ownEditors = new Set([pageId])
const unwritten = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined

/** True for an editor that this page opened or adopted. */
export const isOwnEditor = (editorId: string): boolean => ownEditors.has(editorId)

/** Text of a pending save stays in the editor. */
export function openQueuedEdit(id: string, threadId: string, text: string): void {
  const before = queuedEdits.get().get(id)
  put(id, { threadId, text: before?.text ?? text, was: text, editorId: before?.editorId ?? pageId, state: 'open' })
  write(id)
}

/** Returns the changed edit; undefined if it was closed. */
export function changeQueuedEdit(id: string, changes: Partial<Pick<QueuedEdit, 'text' | 'was' | 'state'>>): QueuedEdit | undefined {
  const edit = queuedEdits.get().get(id)
  if (!edit) return undefined
  const changed = { ...edit, ...changes }
  put(id, changed)
  unwritten.add(id)
  // Typing is written with a delay. A state change is written at once: a saved edit must not reopen after a crash.
  if (changed.state === edit.state) timer ??= setTimeout(writeAll, writeDelayMs)
  else writeAll()
  return changed
}

export function closeQueuedEdit(id: string): void {
  const edits = new Map(queuedEdits.get())
  const edit = edits.get(id)
  if (!edit) return
  edits.delete(id)
  queuedEdits.set(edits)
  unwritten.delete(id)
  operations.resolve(keyOf(id, edit))
  adoptOrphan()
}

/** For signing out: the next user must not find these texts. */
export function deleteQueuedEdits(): void {
  queuedEdits.set(new Map())
  unwritten.clear()
  operations.clear()
}

const put = (id: string, edit: QueuedEdit): void => queuedEdits.set(new Map(queuedEdits.get()).set(id, edit))

/** One message may be open in several pages. */
const keyOf = (id: string, { editorId }: QueuedEdit): string => `${id}.${editorId}`

/**
 * Opens an orphaned edit here, unless the same message has unsaved text in this page. It takes one edit at a time: removing it from the
 * orphans notifies the subscription below, which calls this again.
 */
function adoptOrphan(): void {
  const [next] = [...operations.orphaned.get()].filter(([, { id }]) => !isTypedInto(id))
  if (!next) return
  const [key, { id, ...edit }] = next
  ownEditors.add(edit.editorId)
  // Opened here meanwhile, without changes: the server has this editor's id.
  const adopted = { ...edit, editorId: queuedEdits.get().get(id)?.editorId ?? edit.editorId }
  put(id, adopted)
  write(id)
  if (key !== keyOf(id, adopted)) operations.resolve(key)
}

function isTypedInto(id: string): boolean {
  const edit = queuedEdits.get().get(id)
  return edit !== undefined && edit.text !== edit.was
}

function write(id: string): void {
  const edit = queuedEdits.get().get(id)
  if (edit) operations.add(keyOf(id, edit), { id, ...edit })
}

function writeAll(): void {
  clearTimeout(timer)
  timer = undefined
  for (const id of unwritten) write(id)
  unwritten.clear()
}

function parseStoredEdit(value: object): StoredEdit | null {
  const { id, threadId, text, was, editorId, state } = value as { readonly [field in keyof StoredEdit]?: unknown }
  if (typeof id !== 'string' || typeof threadId !== 'string' || typeof editorId !== 'string') return null
  if (typeof text !== 'string' || typeof was !== 'string') return null
  return { id, threadId, text, was, editorId, state: state === 'saving' || state === 'unacknowledged' ? 'unacknowledged' : 'open' }
}

onLocalDataDeletion(deleteQueuedEdits)
operations.orphaned.subscribe(adoptOrphan)
adoptOrphan()
globalThis.addEventListener?.('pagehide', writeAll)
