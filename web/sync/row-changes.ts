/**
 * New titles, deletions of threads, and settings that the server has not confirmed yet. The sync client stores a write a second after it was
 * made, so a tab that is closed at once loses it. `ResendRowChanges` repeats such a write.
 */
import { onLocalDataDeletion } from '../lib/local-user-data.ts'
import { createPendingOperations } from '../lib/pending-operations.ts'
import type { Store } from '../lib/store.ts'
import type { Outcome } from './outcome.ts'

/** `was`: earlier values of the row in this browser. Another device has changed a row with a different value. */
export type RowChange =
  | { readonly kind: 'title'; readonly threadId: string; readonly value: string; readonly was: readonly unknown[] }
  | { readonly kind: 'setting'; readonly name: string; readonly value: unknown; readonly was: readonly unknown[] }
  /** `updatedAt` of the deleted row. */
  | { readonly kind: 'deletion'; readonly threadId: string; readonly updatedAt: number }

const operations = createPendingOperations<RowChange>('parley:row-change:', parseChange)

/** Changes of closed pages, by key. */
export const orphanedChanges: Store<ReadonlyMap<string, RowChange>> = operations.orphaned

/** Stores the change until its outcome is known. Returns the outcome. */
export async function trackChange(change: RowChange, outcome: Promise<Outcome>): Promise<Outcome> {
  const key = keyOf(change)
  const tracked = after(operations.get(key), change)
  operations.add(key, tracked)
  const ending = await outcome
  if (ending.ok && ending.isPending) operations.abandon(key, tracked)
  else operations.resolve(key, tracked)
  return ending
}

export const resolveRowChange = (change: RowChange): void => void operations.resolve(keyOf(change))
export const resolveDeletion = (threadId: string): void => void operations.resolve(`deletion.${threadId}`)
export const deleteRowChanges = (): void => operations.clear()

let settings: { readonly [name: string]: unknown } = {}

/** The settings on screen; `trackSettings` compares changes with them. */
export function rememberSettings(row: object | undefined): void {
  settings = { ...row }
}

export async function trackSettings(changes: object, outcome: Promise<Outcome>): Promise<Outcome> {
  for (const [name, value] of Object.entries(changes)) {
    void trackChange({ kind: 'setting', name, value, was: [settings[name] ?? null] }, outcome)
  }
  return outcome
}

const keyOf = (change: RowChange): string => `${change.kind}.${change.kind === 'setting' ? change.name : change.threadId}`

function after(before: RowChange | undefined, change: RowChange): RowChange {
  if (!before || !('was' in before && 'was' in change)) return change
  return { ...change, was: [...before.was, before.value, ...change.was] }
}

function parseChange(value: object): RowChange | null {
  const { kind, threadId, name, value: next, was, updatedAt } = value as { readonly [field: string]: unknown }
  const isOf = typeof (kind === 'setting' ? name : threadId) === 'string'
  if (kind === 'deletion') return isOf && typeof updatedAt === 'number' ? (value as RowChange) : null
  if (kind !== 'setting' && (kind !== 'title' || typeof next !== 'string')) return null
  return isOf && Array.isArray(was) ? (value as RowChange) : null
}

onLocalDataDeletion(deleteRowChanges)
