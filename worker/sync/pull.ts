/**
 * Bringing the replica up to D1: pages of the feed, or the beginning of an import when there is no watermark to continue from.
 * Changes of the feed are returned, not applied: the caller applies them in the transaction that also writes what they came with.
 */
import type { FeedChange, Watermarks } from '../db/feed.ts'
import type { ReservedTurn } from '../db/turns.ts'
import { beginImport, finishImport, forgetEverything } from './import.ts'
import { othersTurn } from './others-turn.ts'
import type { UserRecord } from './record.ts'
import { syncedShape } from './synced-tables.ts'
import type { UserState } from './user-state.ts'

/** Ours: what one pull may hold in memory. A reader further behind imports anew, page by page; the engine has the same bounds (E9). */
const maxPages = 50
const maxChars = 8 * 1024 * 1024

export type Pull = {
  readonly changes: readonly FeedChange[]
  readonly watermarks: Watermarks
  /** The record turned out to be an earlier one; clients have to connect again. */
  readonly isRestored: boolean
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
  const known = await watermarksOf(state, record)
  const first = await record.commit(statements, known, questions)
  const changes = [...first.changes]
  let last = first
  let pages = 1
  let { chars } = first
  const isTooFar = () => !last.isComplete && (pages >= maxPages || chars > maxChars)
  while (!last.isComplete && !last.break && !isTooFar()) {
    await othersTurn()
    last = await record.commit([], last.watermarks)
    changes.push(...last.changes)
    pages += 1
    chars += last.chars
  }
  const { openTurns, watermarks } = last
  const { results, answers } = first
  const isRestored = last.break === 'restored'
  if (!last.break && !isTooFar()) return { changes, watermarks, isRestored, openTurns, results, answers }
  if (isRestored) forgetEverything(state)
  return { changes: [], watermarks: await beginImport(state, record), isRestored, openTurns, results, answers }
}

/** Rows of other tables than ours cannot be shown in the meantime: they are imported again to the end, from where that stands. */
async function watermarksOf(state: UserState, record: UserRecord): Promise<Watermarks> {
  const { watermarks, importing } = state.meta
  if (watermarks && !hasOtherTables(state)) return watermarks
  const isBegun = watermarks && importing.cursors.length > 0 && importing.shape === syncedShape
  const begun = isBegun ? watermarks : await beginImport(state, record)
  if (watermarks) await finishImport(state, record)
  return begun
}

/** Whether the rows that are here were imported for the tables of another deploy. */
export const hasOtherTables = ({ meta }: UserState): boolean => meta.watermarks !== null && meta.shape !== syncedShape
