/**
 * Texts that were sent and that the server has not confirmed yet, by the id of their message. The sync client keeps and delivers the write
 * itself; this keeps what was written, should the page be gone when the write is refused, or the write be gone with the page.
 */
import { type AttachedFile, parseFiles } from '../../worker/contract/files.ts'
import { isTurnMode, type TurnMode } from '../../worker/contract/modes.ts'
import { keysBelow, withStorage } from './browser-storage.ts'
import { createShelf } from './shelf.ts'
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
}

/** What came back, and why; `unsent` when the composer was in use, so that it waits there to be taken. */
export type Returned = { readonly message: string; readonly unsent: Pick<Unsent, 'text' | 'files' | 'mode'> | null }

const prefix = 'parley:unsent:'
const shelf = createShelf<Unsent>(prefix, parseUnsent)

const idsKept = (): ReadonlySet<string> =>
  new Set(withStorage((storage) => keysBelow(storage, prefix).map((key) => key.slice(prefix.length))))

/** Ids of all that this browser has sent and nobody has confirmed, its other pages' among them. */
export const unsentIds: Store<ReadonlySet<string>> = createStore(idsKept())
const lookAgain = () => unsentIds.set(idsKept())
// Told of what other pages have changed there.
if (typeof window !== 'undefined') window.addEventListener('storage', ({ key }) => (key ?? prefix).startsWith(prefix) && lookAgain())

/** Of pages that are closed, and what nobody waits for; by the ids of their messages. */
export const unsentLeft: Store<ReadonlyMap<string, Unsent>> = shelf.left

export function keepUnsent(unsent: Unsent): void {
  shelf.keep(unsent.messageId, unsent)
  lookAgain()
}

export function forgetUnsent(messageId: string): void {
  shelf.forget(messageId)
  lookAgain()
}

/** Nobody will hear what becomes of it: from here on it is looked after as if its page were closed. */
export const leaveUnsent = (messageId: string): void => shelf.leave(messageId)

/** For signing out: the next person must not find what this one was writing. */
export function forgetAllUnsent(): void {
  shelf.forgetAll()
  lookAgain()
  for (const store of returned.values()) store.set(null)
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

function parseUnsent(value: object): Unsent | null {
  const { messageId, threadId, text, files, mode, sentAtMs } = value as { readonly [key in keyof Unsent]?: unknown }
  const isWhole = [messageId, threadId, text].every((field) => typeof field === 'string') && typeof sentAtMs === 'number'
  return isWhole ? { ...(value as Unsent), files: parseFiles(files), mode: isTurnMode(mode) ? mode : 'chat' } : null
}
