/** How often somebody knocked within a window, where no Redis counts. One statement, so that knocks at once are counted one by one. */
import { newId } from './new-id.ts'
import { type DatabaseBindings, directoryDb } from './shards.ts'

/** `leftS` until the window closes. */
export type Knock = { readonly count: number; readonly leftS: number }

/** Ours: as long as the longest window, and twice that. */
const knocksKeptMs = 2 * 60 * 60 * 1000

export async function countKnock(env: DatabaseBindings, key: string, windowS: number, nowMs: number): Promise<Knock> {
  const row = await directoryDb(env)
    .prepare(
      `insert into rateLimit (id, key, count, lastRequest) values (?1, ?2, 1, ?3)
       on conflict (key) do update set
         count = iif(lastRequest + ?4 <= ?3, 1, count + 1), lastRequest = iif(lastRequest + ?4 <= ?3, ?3, lastRequest)
       returning count, lastRequest`,
    )
    .bind(newId(), key, nowMs, windowS * 1000)
    .first<{ count: number; lastRequest: number }>()
  if (!row) throw new Error('an upsert returns its row')
  return { count: row.count, leftS: Math.max(1, Math.ceil((row.lastRequest + windowS * 1000 - nowMs) / 1000)) }
}

export async function pruneKnocks(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await database
    .prepare('delete from rateLimit where lastRequest < ?')
    .bind(nowMs - knocksKeptMs)
    .run()
  return meta.changes
}
