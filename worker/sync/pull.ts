/**
 * Bringing the replica up to D1: pages of the feed, or everything at once when there is no watermark to continue from.
 * Changes of the feed are returned, not applied: the caller applies them in the transaction that also writes what they came with.
 */
import type { FeedChange } from '../db/feed.ts'
import type { ReservedTurn } from '../db/turns.ts'
import { importEverything } from './import.ts'
import type { UserRecord } from './record.ts'
import { syncedShape } from './synced-tables.ts'
import type { UserState } from './user-state.ts'

export type Pull = {
  readonly changes: readonly FeedChange[]
  readonly watermarks: { readonly content: number; readonly directory: number }
  readonly openTurns: readonly ReservedTurn[]
  readonly results: readonly D1Result[]
  readonly answers: readonly D1Result[]
}

/** What joins a pull: writes to the content database, and questions to the directory. */
export type Joined = {
  readonly statements?: readonly D1PreparedStatement[]
  readonly questions?: readonly D1PreparedStatement[]
}

/** Commits what joins in the first batch of the pull. Without it, it is a plain pull. */
export async function commitAndPull(state: UserState, record: UserRecord, { statements = [], questions }: Joined = {}): Promise<Pull> {
  const imported = state.meta.shape === syncedShape ? state.meta.watermarks : null
  const known = imported ?? (await importEverything(state, record))
  const first = await record.commit(statements, known, questions)
  const changes = [...first.changes]
  let last = first
  while (!last.isComplete && !last.hasGap) {
    last = await record.commit([], last.watermarks)
    changes.push(...last.changes)
  }
  const { openTurns, watermarks } = last
  const { results, answers } = first
  if (!last.hasGap) return { changes, watermarks, openTurns, results, answers }
  return { changes: [], watermarks: await importEverything(state, record), openTurns, results, answers }
}
