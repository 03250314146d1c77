/**
 * Queued messages that are open in an editor on this page: what was typed is kept across switching threads, reloading and crashing, because
 * the message itself may be sent, removed or changed elsewhere at any moment.
 */
import { createId } from '../lib/create-id.ts'
import { createStore, type Store } from './store.ts'
import { keepInTab, keptInTab } from './tab-storage.ts'

export type QueuedEdit = {
  readonly threadId: string
  readonly text: string
  /** What the message said when the person last looked at it and decided. */
  readonly was: string
  /**
   * `saving`: on its way to the server; shown again if that refuses it. `unheard`: it was on its way when this page was reloaded or hidden, and
   * what became of it is told to nobody. Saving it once more is harmless, and tells.
   */
  readonly state: 'open' | 'saving' | 'unheard'
}

type Edits = ReadonlyMap<string, QueuedEdit>
type Kept = { readonly editorId: string; readonly edits: Edits }

const key = 'parley:queued-edits'
const writeDelayMs = 200
/** A page that is reloaded lets go of its editors a moment after the next one has begun; on a busy machine a long one. */
const letGoMs = 3000

/** By the id of the message. */
export const queuedEdits: Store<Edits> = createStore<Edits>(new Map())

let ownId = createId()
let isHeld = false
/** What an earlier page has left, until it is known whether that page is gone; nothing is written over it before. */
let kept = readKept()
let timer: ReturnType<typeof setTimeout> | undefined
if (kept) void takeUp(kept)

/** Of this page, also after a reload of it. */
export const editorId = (): string => ownId

/** What is typed here already, and is on its way, is typed on. */
export function openQueuedEdit(id: string, threadId: string, text: string): void {
  if (!isHeld) void holdEditor(ownId)
  put(id, { threadId, text: queuedEdits.get().get(id)?.text ?? text, was: text, state: 'open' })
  write()
}

/** What it is then; undefined when it was closed. */
export function changeQueuedEdit(id: string, changes: Partial<Omit<QueuedEdit, 'threadId'>>): QueuedEdit | undefined {
  const edit = queuedEdits.get().get(id)
  if (!edit) return undefined
  const changed = { ...edit, ...changes }
  put(id, changed)
  // Words come many times a second; what is saved must not be found open after a crash.
  if (changed.state === edit.state) timer ??= setTimeout(write, writeDelayMs)
  else write()
  return changed
}

export function closeQueuedEdit(id: string): void {
  const edits = new Map(queuedEdits.get())
  if (!edits.delete(id)) return
  queuedEdits.set(edits)
  write()
}

/** For signing out: the next person must not find what this one was writing. */
export function forgetQueuedEdits(): void {
  kept = null
  queuedEdits.set(new Map())
  write()
}

const put = (id: string, edit: QueuedEdit): void => queuedEdits.set(new Map(queuedEdits.get()).set(id, edit))

/** A tab that was duplicated has got a copy of what the other one is still writing, and writes nothing itself. */
async function takeUp({ editorId: earlierId, edits }: Kept): Promise<void> {
  const isOurs = await holdEditor(earlierId)
  if (!kept) return
  kept = null
  if (isOurs) {
    ownId = earlierId
    // Opened meanwhile, with nothing typed yet: what was typed before is what the person was at.
    const typed = [...queuedEdits.get()].filter(([id, { text, was }]) => text !== was || !edits.has(id))
    queuedEdits.set(new Map([...edits, ...typed]))
  }
  write()
}

/** False when another page has it. A lock ends with its page, however it ends. */
function holdEditor(id: string): Promise<boolean> {
  isHeld = true
  if (!('locks' in navigator)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const holdOn = () => {
      resolve(true)
      return new Promise<never>(() => undefined)
    }
    navigator.locks.request(`parley:editor:${id}`, { signal: AbortSignal.timeout(letGoMs) }, holdOn).catch((error: unknown) => {
      const isElsewhere = error instanceof DOMException && error.name === 'TimeoutError'
      isHeld = !isElsewhere
      // A browser that gives no locks has no word of another page either.
      resolve(!isElsewhere)
    })
  })
}

function write(): void {
  clearTimeout(timer)
  timer = undefined
  if (kept) return
  const edits = [...queuedEdits.get()]
  keepInTab(key, edits.length === 0 ? null : { editorId: ownId, edits })
}

function readKept(): Kept | null {
  const value = keptInTab(key) as { readonly editorId?: unknown; readonly edits?: unknown } | null
  if (typeof value?.editorId !== 'string' || !Array.isArray(value.edits)) return null
  return { editorId: value.editorId, edits: new Map(value.edits.flatMap(asKept)) }
}

function asKept(pair: unknown): readonly [string, QueuedEdit][] {
  if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'object' || pair[1] === null) return []
  const { threadId, text, was, state } = pair[1] as { readonly [field in keyof QueuedEdit]?: unknown }
  if (typeof threadId !== 'string' || typeof text !== 'string' || typeof was !== 'string') return []
  return [[pair[0], { threadId, text, was, state: state === 'saving' || state === 'unheard' ? 'unheard' : 'open' }]]
}

globalThis.addEventListener?.('pagehide', write)
