/**
 * Texts that were sent and that the server has not confirmed yet, by the id of their message. The sync client keeps and delivers the write
 * itself; this keeps what was written, should the page be gone when the write is refused, or the write be gone with the page.
 */
import { type AttachedFile, parseFiles } from '../../worker/contract/files.ts'
import { isTurnMode, type TurnMode } from '../../worker/contract/modes.ts'
import { createId } from '../lib/create-id.ts'
import { keysBelow, withStorage } from './browser-storage.ts'
import { createStore, type Store } from './store.ts'

export type Unsent = {
  readonly messageId: string
  readonly threadId: string
  readonly text: string
  /** Stored already; attached to it. */
  readonly files: readonly AttachedFile[]
  readonly mode: TurnMode
  /** By this browser's clock, as the row says it until the server has put its own time there. */
  readonly sentAtMs: number
  /** Whose it is as long as that page is open. */
  readonly pageId: string
}

/** What came back, and why; `unsent` when the composer was in use, so that it waits there to be taken. */
export type Returned = { readonly message: string; readonly unsent: Pick<Unsent, 'text' | 'files' | 'mode'> | null }

const prefix = 'parley:unsent:'
const pageId = createId()
const lockOf = (page: string): string => `parley:page:${page}`
let isHeld = false

const idsKept = (): ReadonlySet<string> =>
  new Set(withStorage((storage) => keysBelow(storage, prefix).map((key) => key.slice(prefix.length))))

/** Ids of all that this browser has sent and nobody has confirmed, its other pages' among them. */
export const unsentIds: Store<ReadonlySet<string>> = createStore(idsKept())
const lookAgain = () => unsentIds.set(idsKept())
// Told of what other pages have changed there.
if (typeof window !== 'undefined') window.addEventListener('storage', ({ key }) => (key ?? prefix).startsWith(prefix) && lookAgain())

export function keepUnsent(unsent: Omit<Unsent, 'pageId'>): void {
  holdPage()
  withStorage((storage) => storage.setItem(prefix + unsent.messageId, JSON.stringify({ ...unsent, pageId })))
  lookAgain()
}

export function forgetUnsent(messageId: string): void {
  withStorage((storage) => storage.removeItem(prefix + messageId))
  lookAgain()
}

/** Nobody will hear what becomes of it: from here on it is looked after as if its page were closed. */
export function leaveUnsent(messageId: string): void {
  withStorage((storage) => {
    const unsent = parseUnsent(storage.getItem(prefix + messageId))
    if (unsent) storage.setItem(prefix + messageId, JSON.stringify({ ...unsent, pageId: '' }))
  })
  leftCount.set(leftCount.get() + 1)
}

/** Counts what was left; whoever looks after it looks again. */
export const leftCount = createStore(0)

/** For signing out: the next person must not find what this one was writing. */
export function forgetAllUnsent(): void {
  withStorage((storage) => {
    for (const key of keysBelow(storage, prefix)) storage.removeItem(key)
  })
  lookAgain()
  for (const store of returned.values()) store.set(null)
}

/** What pages that are closed have left behind, and what nobody waits for. */
export async function unsentLeft(): Promise<readonly Unsent[]> {
  const keys = withStorage((storage) => keysBelow(storage, prefix)) ?? []
  // One by one: what is not ours to read must not hide the others.
  const all = keys.flatMap((key) => withStorage((storage) => parseUnsent(storage.getItem(key))) ?? [])
  const others = all.filter((unsent) => unsent.pageId !== pageId)
  if (others.length === 0) return []
  const open = await openPages()
  return others.filter((unsent) => !open.has(lockOf(unsent.pageId)))
}

const returned = new Map<string, Store<Returned | null>>()

/** By the key of the draft that it came back to. */
export function returnedTo(draftKey: string): Store<Returned | null> {
  const known = returned.get(draftKey)
  if (known) return known
  const store = createStore<Returned | null>(null)
  returned.set(draftKey, store)
  return store
}

/** A lock ends with its page, however it ends. */
function holdPage(): void {
  if (isHeld || !('locks' in navigator)) return
  isHeld = true
  // Refused only when the page is on its way out.
  navigator.locks.request(lockOf(pageId), () => new Promise(() => undefined)).catch(() => undefined)
}

async function openPages(): Promise<ReadonlySet<string | undefined>> {
  if (!('locks' in navigator)) return new Set()
  const { held = [] } = await navigator.locks.query()
  return new Set(held.map(({ name }) => name))
}

function parseUnsent(json: string | null): Unsent | null {
  const value: unknown = json === null ? null : JSON.parse(json)
  if (typeof value !== 'object' || value === null) return null
  const { messageId, threadId, text, files, mode, sentAtMs, pageId: page } = value as { readonly [key in keyof Unsent]?: unknown }
  const isWhole = [messageId, threadId, text, page].every((field) => typeof field === 'string') && typeof sentAtMs === 'number'
  return isWhole ? { ...(value as Unsent), files: parseFiles(files), mode: isTurnMode(mode) ? mode : 'chat' } : null
}
