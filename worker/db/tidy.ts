/** Removing what nobody needs any more, a slice at a time: D1 does one thing at once, and people wait behind a long delete. */
import { deletedThreadKeptMs } from '../contract/limits.ts'
import type { TurnRef } from './turn-endings.ts'

/** Rows of one statement; chosen by us, well under D1's 30 s for a statement with its triggers. */
const sliceRows = 500
/** A thread takes its messages with it, and each of them is a row of the feed. */
const sliceThreads = 20
const maxSlices = 20

/** A reader that pulled within this time has missed nothing; see 0002_directory_feed.sql for how an older one notices. */
export const feedKeptMs = 30 * 24 * 60 * 60 * 1000
/** A browser acknowledges an error result at its next push; one that is gone this long starts over. */
const resultsKeptMs = 30 * 24 * 60 * 60 * 1000

/** A browser that writes nothing for this long and comes back has its group dropped at the door, and starts from nothing. */
const progressKeptMs = 180 * 24 * 60 * 60 * 1000

export function purgeThreads(database: D1Database, nowMs: number): Promise<number> {
  const purge = database
    .prepare('delete from thread where id in (select id from thread where deletedAt is not null and deletedAt < ? limit ?) returning id')
    .bind(nowMs - deletedThreadKeptMs, sliceThreads)
  return repeat(sliceThreads, async () => (await purge.all()).results.length)
}

/**
 * A deleted message goes with everything below it, which nobody could reach any more. Each message of its thread is read once: looked for below
 * each of the others, some thousands would take longer than a statement may, at every run.
 */
export const purgeMessagesSql = `with recursive
  oldest (id, threadId) as materialized (select id, threadId from message where deletedAt is not null and deletedAt < ? limit ?),
  said (id, parentId) as materialized (select id, parentId from message where threadId in (select threadId from oldest)),
  gone (id) as (select id from oldest union select said.id from gone join said on said.parentId = gone.id)
delete from message where id in (select id from gone) returning deletedAt`

export function purgeMessages(database: D1Database, nowMs: number): Promise<number> {
  const purge = database.prepare(purgeMessagesSql).bind(nowMs - deletedThreadKeptMs, sliceThreads)
  return repeat(sliceThreads, async () => (await purge.all()).results.filter(({ deletedAt }) => deletedAt !== null).length)
}

export function pruneMutationResults(database: D1Database, nowMs: number): Promise<number> {
  const prune = database
    .prepare(
      'delete from mutationResult where rowid in (select rowid from mutationResult where createdAt < ? limit ?) returning mutationID',
    )
    .bind(nowMs - resultsKeptMs, sliceRows)
  return repeat(sliceRows, async () => (await prune.all()).results.length)
}

export function pruneProgress(database: D1Database, nowMs: number): Promise<number> {
  const prune = database
    .prepare('delete from clientProgress where rowid in (select rowid from clientProgress where updatedAt < ? limit ?) returning clientID')
    .bind(nowMs - progressKeptMs, sliceRows)
  return repeat(sliceRows, async () => (await prune.all()).results.length)
}

/** Sessions and codes; better-auth removes them only when somebody brings them. */
export async function pruneExpired(database: D1Database, nowMs: number): Promise<number> {
  let removed = 0
  for (const table of ['session', 'verification'] as const) {
    const prune = database
      .prepare(`delete from ${table} where id in (select id from ${table} where expiresAt < ? limit ?) returning id`)
      .bind(nowMs, sliceRows)
    removed += await repeat(sliceRows, async () => (await prune.all()).results.length)
  }
  return removed
}

/**
 * Removes the old beginning of a feed, without gaps, and never its newest row. So `min(seq)` tells a reader what it cannot know otherwise:
 * with a watermark below min(seq) - 1 it may have missed rows and reads its tables anew.
 */
export function pruneFeed(database: D1Database, feed: 'contentChange' | 'directoryChange', nowMs: number): Promise<number> {
  return repeat(sliceRows, async () => {
    const { results } = await database
      .prepare(`select seq, at from ${feed} where seq < (select max(seq) from ${feed}) order by seq limit ?`)
      .bind(sliceRows)
      .all<{ seq: number; at: number }>()
    const firstKept = results.findIndex(({ at }) => at >= nowMs - feedKeptMs)
    const last = results[(firstKept === -1 ? results.length : firstKept) - 1]
    if (!last) return 0
    const { meta } = await database.prepare(`delete from ${feed} where seq <= ?`).bind(last.seq).run()
    return meta.changes
  })
}

export type StaleTurn = TurnRef & { readonly userId: string }
const turnsPerRun = 100

export async function readOpenTurnsBefore(database: D1Database, beforeMs: number): Promise<StaleTurn[]> {
  const { results } = await database
    .prepare("select id generationId, userId, writer from generation where status = 'open' and createdAt < ? order by createdAt limit ?")
    .bind(beforeMs, turnsPerRun)
    .all<StaleTurn>()
  return results
}

/** Until a slice is not full, or it has been enough for one run. */
async function repeat(sliceSize: number, removeSlice: () => Promise<number>): Promise<number> {
  let removed = 0
  for (let slice = 0; slice < maxSlices; slice++) {
    const count = await removeSlice()
    removed += count
    if (count < sliceSize) break
  }
  return removed
}
