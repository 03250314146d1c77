/** Guests nobody has heard of for long, and what a hand-over may have left behind. */
import { guestKeptMs } from '../contract/limits.ts'
import { type HandOver, handOver } from './hand-over.ts'
import { contentDbs, type DatabaseBindings, directoryDb } from './shards.ts'

/** Ours: each takes all of a person's rows along. */
const guestsPerRun = 50

/** A session moves its expiry, and this time with it, on every day of use. */
export async function readIdleGuests(env: DatabaseBindings, nowMs: number): Promise<string[]> {
  const beforeMs = nowMs - guestKeptMs
  const { results } = await directoryDb(env)
    .prepare(
      `select id from user where isAnonymous = 1 and updatedAt < ?1
         and not exists (select 1 from session where userId = user.id and updatedAt >= ?1) order by updatedAt limit ?2`,
    )
    .bind(beforeMs, guestsPerRun)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

/** An upload that was under way during the hand-over may have stored its row just after it. Ours: longer than any request lives. */
export const lateRowsMs = 10 * 60 * 1000

export async function repeatHandOvers(env: DatabaseBindings, nowMs: number): Promise<number> {
  let repeated = 0
  for (const database of contentDbs(env)) {
    const { results } = await database
      .prepare('select guestId, accountId from handover where createdAt >= ?')
      .bind(nowMs - lateRowsMs)
      .all<HandOver>()
    for (const pair of results) await handOver(env, pair, nowMs)
    repeated += results.length
  }
  return repeated
}

/** No token, no turn and no object's storage knows the guest after this long. */
export async function pruneHandOvers(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await database
    .prepare('delete from handover where createdAt < ?')
    .bind(nowMs - guestKeptMs)
    .run()
  return meta.changes
}
