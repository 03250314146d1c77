/**
 * Writes that the server has not confirmed yet, in localStorage. The sync client stores a write up to a second after it was made, and a page
 * that closes earlier loses it. The client reports the outcome only to the page that made the write. `ResendWrites` repeats the writes of
 * closed pages.
 */
import { onLocalDataDeletion } from '../lib/local-user-data.ts'
import { createPendingOperations } from '../lib/pending-operations.ts'
import type { Store } from '../lib/store.ts'
import type { Mutation } from './act.ts'
import type { Outcome } from './outcome.ts'

export type Write = {
  /** The mutator. */
  readonly name: string
  /** The server parses them. */
  readonly args: { readonly [name: string]: unknown }
  /** Values that the write may find: before it, and before and after earlier unconfirmed writes of the same value. Null: absent. */
  readonly saw: readonly unknown[]
}

const operations = createPendingOperations<Write>('parley:write:', parseWrite)

/** Writes of closed pages, by key. */
export const orphanedWrites: Store<ReadonlyMap<string, Write>> = operations.orphaned

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
  const { key } = effectOf(write)
  const before = operations.get(key)
  const kept = before && before !== write ? { ...write, saw: [...foundBy(before), ...write.saw] } : write
  operations.add(key, kept)
  const ending = await outcome
  if (!ending.ok || !ending.isPending) return operations.resolve(key, kept) ? ending : null
  operations.abandon(key, kept)
  return ending
}

export const dropWrite = (write: Write): void => void operations.resolve(effectOf(write).key)
export const deleteWrites = (): void => operations.clear()

/** Values that the row may have if the write is to be repeated: those before it, and its own, because only a repeated write returns a refusal. */
export function foundBy(write: Write): readonly unknown[] {
  const { leaves } = effectOf(write)
  return leaves === undefined ? write.saw : [...write.saw, leaves]
}

/** The changed value, and what it is after the write. Without `leaves`, repeating a write that has arrived would be refused. */
function effectOf({ name, args }: Pick<Write, 'name' | 'args'>): { readonly key: string; readonly leaves?: unknown } {
  const { id, threadId, threadIds, messageId, stepId, answerId, title, text, isDismissed } = args
  switch (name) {
    case 'threads.rename':
      return { key: `title.${threadId}`, leaves: String(title).trim() }
    case 'threads.delete':
      return { key: `deletion.${threadIds}` }
    case 'settings.update':
      return { key: `setting.${Object.keys(args)}`, leaves: args }
    case 'queue.remove':
      return { key: `queued.${id}` }
    case 'research.putStep':
      return { key: `step.${messageId}.${stepId}`, leaves: text }
    case 'research.removeStep':
      return { key: `step.${messageId}.${stepId}`, leaves: null }
    case 'research.dismiss':
      return { key: `plan.${messageId}`, leaves: isDismissed }
    default:
      return { key: `${name}.${answerId}` }
  }
}

let settings: { readonly [name: string]: unknown } = {}

/** The settings on screen. */
export function rememberSettings(row: object | undefined): void {
  settings = { ...row }
}

/** The settings of the same names. */
export const settingsNow = (changes: object, row: object = settings): object =>
  Object.fromEntries(Object.keys(changes).map((name) => [name, row[name as keyof typeof row] ?? null]))

function parseWrite(value: object): Write | null {
  const { name, args, saw } = value as { readonly [field in keyof Write]?: unknown }
  return typeof name === 'string' && typeof args === 'object' && args !== null && Array.isArray(saw) ? (value as Write) : null
}

onLocalDataDeletion(deleteWrites)
