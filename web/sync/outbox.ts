/**
 * Writes that the server has not confirmed yet, in localStorage. The sync client stores a write up to a second after it was made, and a page
 * that closes earlier loses it. The client reports the outcome only to the page that made the write. `ResendWrites` repeats the writes of
 * closed pages.
 */
import { idsWithPrefix } from '../lib/browser-storage.ts'
import { onLocalDataDeletion } from '../lib/local-user-data.ts'
import { createPendingOperations } from '../lib/pending-operations.ts'
import { createStore, type Store } from '../lib/store.ts'
import type { Mutation } from './act.ts'
import type { Outcome } from './outcome.ts'
import { isRepeatable, keyOf, valueAfter } from './repeatable-writes.ts'

export type Write = {
  /** The mutator. */
  readonly name: string
  /** The server parses them. */
  readonly args: { readonly [name: string]: unknown }
  /** Values that the write may find: before it, and before and after earlier unconfirmed writes of the same value. Null: absent. */
  readonly saw: readonly unknown[]
  /** What a refused message returns to the composer besides its text and files. The composer parses it. */
  readonly draft?: object
}

const prefix = 'parley:write:'
const operations = createPendingOperations<Write>(prefix, parseWrite)

/** Writes of closed pages, by key. */
export const orphanedWrites: Store<ReadonlyMap<string, Write>> = operations.orphaned

const storedKeys = (): ReadonlySet<string> => new Set(idsWithPrefix(prefix))
const unconfirmed = createStore(storedKeys())
const refreshKeys = () => unconfirmed.set(storedKeys())
// A storage event reports a change by another page.
if (typeof window !== 'undefined') window.addEventListener('storage', ({ key }) => (key ?? prefix).startsWith(prefix) && refreshKeys())

/** Keys of the unconfirmed writes of all pages of this browser. */
export const unconfirmedKeys: Store<ReadonlySet<string>> = unconfirmed

/** `saw`: the value that the mutation changes, as it is now. */
export const writeOf = ({ mutator, args }: Mutation, ...saw: readonly unknown[]): Write => ({
  name: mutator.mutatorName,
  args: args as Write['args'],
  saw,
})

/**
 * Stores the write until its outcome is known. Resolves with null if the outcome no longer matters: a later write has replaced this one, or
 * the user has signed out.
 */
export async function keep(write: Write, outcome: Promise<Outcome>): Promise<Outcome | null> {
  const key = keyOf(write)
  const before = operations.get(key)
  const kept = before && before !== write ? { ...write, saw: [...foundBy(before), ...write.saw] } : write
  operations.add(key, kept)
  refreshKeys()
  const ending = await outcome
  if (!ending.ok || !ending.isPending) return resolve(key, kept) ? ending : null
  operations.abandon(key, kept)
  return ending
}

/** Leaves the write to `ResendWrites`, as if its page had closed. */
export function leaveToResender(write: Write): void {
  operations.add(keyOf(write), write)
  operations.abandon(keyOf(write))
  refreshKeys()
}

export const dropWrite = (write: Write): void => void resolve(keyOf(write))
export const dropWriteOf = (key: string): void => void resolve(key)

export function deleteWrites(): void {
  operations.clear()
  refreshKeys()
}

function resolve(key: string, write?: Write): boolean {
  const isResolved = operations.resolve(key, write)
  refreshKeys()
  return isResolved
}

/** Values that the row may have if the write is to be repeated: those before it, and its own, because only a repeated write returns a refusal. */
export function foundBy(write: Write): readonly unknown[] {
  const after = valueAfter(write)
  return after === undefined ? write.saw : [...write.saw, after]
}

function parseWrite(value: object): Write | null {
  const { name, args, saw } = value as { readonly [field in keyof Write]?: unknown }
  const isWhole = typeof name === 'string' && typeof args === 'object' && args !== null && Array.isArray(saw)
  return isWhole && isRepeatable(name) ? (value as Write) : null
}

onLocalDataDeletion(deleteWrites)
