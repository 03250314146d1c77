/** Deletes expired rows in slices. D1 runs one statement at a time, so a long delete would delay requests. */
import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { dayOf } from '../contract/access.ts'
import { dailyUseDays, deletedThreadRetentionMs } from '../contract/limits.ts'
import { orm } from './shards.ts'
import { sharedPrompt } from './tables/organizations.ts'
import { clientProgress, mutationResult } from './tables/sync.ts'
import { draft, generation, memory, message, project, prompt, share, thread } from './tables/threads.ts'
import { dailyUse } from './tables/user-content.ts'
import { session, verification } from './tables/users.ts'
import type { TurnRef } from './turns.ts'

/** Runs a day: every five minutes (wrangler.jsonc). */
export const runsPerDay = 288
/** Chosen: a million turns a day write at most 11.4 million feed rows and a million threads (tests: pruning-rate). A day of runs removes twice that. */
export const rowsPerRun = 100_000
export const threadsPerRun = 8_000
/** Rows of one statement. Chosen: far below D1's 30 s for a statement with its triggers. */
const sliceRows = 1000
/** Threads of one statement: deleting a thread also deletes its messages and adds their rows to the feed. */
const sliceThreads = 40
/** Chosen: a job with slow statements stops after this time, so that a run ends before the next one starts. */
const jobMs = 15_000

/** A reader with a newer watermark has missed nothing. An older reader detects the gap by `min(seq)` (feed.ts). */
export const feedRetentionMs = 30 * 24 * 60 * 60 * 1000
/** A browser acknowledges an error result at its next push. A browser that is away for longer starts over. */
const resultsRetentionMs = 30 * 24 * 60 * 60 * 1000

/** The client group of a browser without writes for this long is deleted. On its next connect it starts with an empty store. */
const progressRetentionMs = 180 * 24 * 60 * 60 * 1000

export const purgeThreads = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, thread.deletedAt, nowMs - deletedThreadRetentionMs, sliceThreads, threadsPerRun)

/** Chosen. Normally `TemporaryThreads` deletes first. This job covers objects that lost their alarm. */
const temporaryDelayMs = 10 * 60 * 1000

export const purgeTemporaryThreads = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, thread.expiresAt, nowMs - temporaryDelayMs, sliceThreads, threadsPerRun)

/** A guard takes the threads of a purged project out of it. */
export const purgeProjects = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, project.deletedAt, nowMs - deletedThreadRetentionMs)

export const purgePrompts = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, prompt.deletedAt, nowMs - deletedThreadRetentionMs)

/** The row stays until then, so that a browser that was offline detects the end of its draft. */
export const purgeDrafts = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, draft.deletedAt, nowMs - deletedThreadRetentionMs)

export const purgeMemories = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, memory.deletedAt, nowMs - deletedThreadRetentionMs)

/** Chosen: no write that was in flight when the sharing ended can arrive that late. Restoring the prompt later does not share it again. */
const sharedPromptsRetentionMs = 24 * 60 * 60 * 1000

export const purgeSharedPrompts = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, sharedPrompt.deletedAt, nowMs - sharedPromptsRetentionMs)

/** Chosen: a revoked link counts towards the links of a day. An expired one is listed as expired for as long. */
const sharesRetentionMs = 24 * 60 * 60 * 1000

export async function purgeShares(database: D1Database, nowMs: number): Promise<number> {
  const revoked = await removeBefore(database, share.revokedAt, nowMs - sharesRetentionMs)
  return revoked + (await removeBefore(database, share.expiresAt, nowMs - sharesRetentionMs))
}

export const pruneMutationResults = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, mutationResult.createdAt, nowMs - resultsRetentionMs)

export const pruneProgress = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, clientProgress.updatedAt, nowMs - progressRetentionMs)

export const pruneDailyUse = (database: D1Database, nowMs: number): Promise<number> =>
  removeBefore(database, dailyUse.day, dayOf(nowMs) - dailyUseDays)

/** Expired sessions and codes. better-auth deletes them only if they are used after expiry. */
export async function pruneExpired(database: D1Database, nowMs: number): Promise<number> {
  const sessions = await removeBefore(database, session.expiresAt, nowMs)
  return sessions + (await removeBefore(database, verification.expiresAt, nowMs))
}

type TimeColumn =
  | typeof thread.deletedAt
  | typeof thread.expiresAt
  | typeof project.deletedAt
  | typeof prompt.deletedAt
  | typeof draft.deletedAt
  | typeof memory.deletedAt
  | typeof sharedPrompt.deletedAt
  | typeof share.revokedAt
  | typeof share.expiresAt
  | typeof mutationResult.createdAt
  | typeof clientProgress.updatedAt
  | typeof dailyUse.day
  | typeof session.expiresAt
  | typeof verification.expiresAt

/** Deletes the rows of the column's table whose time, in the unit of the column, is before `before`. */
function removeBefore(
  database: D1Database,
  time: TimeColumn,
  before: number,
  sliceSize = sliceRows,
  maxPerRun = rowsPerRun,
): Promise<number> {
  const db = orm(database)
  const rowid = sql<number>`rowid`
  const slice = db.select({ rowid }).from(time.table).where(sql`${time} < ${before}`).limit(sliceSize)
  const removeSlice = db.delete(time.table).where(inArray(rowid, slice)).returning({ rowid })
  return repeat(sliceSize, maxPerRun, async () => (await removeSlice).length)
}

/**
 * A deleted message is removed with everything below it, which cannot be reached any more. One pass per thread; a search below each deleted
 * message would exceed the time limit of a statement.
 */
export function purgeMessages(database: D1Database, nowMs: number): Promise<number> {
  const purge = sql`with recursive
    oldest (id, threadId) as materialized (
      select id, threadId from ${message} where deletedAt is not null and deletedAt < ${nowMs - deletedThreadRetentionMs} limit ${sliceThreads}
    ),
    inThread (id, parentId) as materialized (select id, parentId from ${message} where threadId in (select threadId from oldest)),
    removed (id) as (select id from oldest union select inThread.id from removed join inThread on inThread.parentId = removed.id)
  delete from ${message} where id in (select id from removed) returning deletedAt`
  return repeat(sliceThreads, threadsPerRun, async () => {
    const removed = await orm(database).all<{ readonly deletedAt: number | null }>(purge)
    return removed.filter(({ deletedAt }) => deletedAt !== null).length
  })
}

/**
 * Removes the oldest rows of a feed, without gaps, and never the newest row. A reader whose watermark is below min(seq) - 1 may have missed
 * rows, and reads its tables again.
 */
export function pruneFeed(database: D1Database, feed: 'contentChange' | 'directoryChange', nowMs: number): Promise<number> {
  const prune = database
    .prepare(
      `with oldest as materialized (
         select seq, at from ${feed} where seq < (select max(seq) from ${feed}) order by seq limit ?1
       )
       delete from ${feed} where seq <= (
         select max(seq) from oldest where seq < coalesce((select min(seq) from oldest where at >= ?2), seq + 1)
       )`,
    )
    .bind(sliceRows, nowMs - feedRetentionMs)
  return repeat(sliceRows, rowsPerRun, async () => (await prune.run()).meta.changes)
}

type StaleTurn = TurnRef & { readonly userId: string }
const turnsPerRun = 100

export const readOpenTurnsBefore = (database: D1Database, beforeMs: number): Promise<StaleTurn[]> =>
  orm(database)
    .select({ generationId: generation.id, userId: generation.userId, objectId: generation.objectId })
    .from(generation)
    .where(and(eq(generation.status, 'open'), lt(generation.createdAt, beforeMs)))
    .orderBy(generation.createdAt)
    .limit(turnsPerRun)

/** Removes slices until one is not full, or the run's share or time is used up. */
async function repeat(sliceSize: number, maxPerRun: number, removeSlice: () => Promise<number>): Promise<number> {
  const endMs = Date.now() + jobMs
  let removed = 0
  while (removed < maxPerRun && Date.now() < endMs) {
    const count = await removeSlice()
    removed += count
    if (count < sliceSize) break
  }
  return removed
}
