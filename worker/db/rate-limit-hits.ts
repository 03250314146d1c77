/** Rate-limit counters in D1, for installations without Redis. One statement per hit, so concurrent hits are counted one by one. */
import { and, lt, notLike, or, sql } from 'drizzle-orm'
import { newId } from './new-id.ts'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { rateLimit } from './tables/users.ts'

/** `leftS`: seconds until the window closes. */
export type RateLimitHit = { readonly count: number; readonly leftS: number }

/** Chosen: twice the longest window, which is an hour, except for keys that begin with `day:`. */
const hitsRetentionMs = 2 * 60 * 60 * 1000
const dayHitsRetentionMs = 2 * 24 * 60 * 60 * 1000

/** Adds `by` to the counter of `key`; 0 only reads. */
export async function countHit(env: DatabaseBindings, key: string, windowS: number, nowMs: number, by = 1): Promise<RateLimitHit> {
  const windowMs = windowS * 1000
  const hasExpired = sql`${rateLimit.lastRequest} + ${windowMs} <= ${nowMs}`
  const [hit] = await orm(directoryDb(env))
    .insert(rateLimit)
    .values({ id: newId(), key, count: by, lastRequest: nowMs })
    .onConflictDoUpdate({
      target: rateLimit.key,
      set: {
        count: sql`iif(${hasExpired}, ${by}, ${rateLimit.count} + ${by})`,
        lastRequest: sql`iif(${hasExpired}, ${nowMs}, ${rateLimit.lastRequest})`,
      },
    })
    .returning({ count: rateLimit.count, lastRequest: rateLimit.lastRequest })
  if (!hit) throw new Error('the upsert returned no row')
  return { count: hit.count, leftS: Math.max(1, Math.ceil((hit.lastRequest + windowMs - nowMs) / 1000)) }
}

export async function pruneHits(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(rateLimit)
    .where(
      or(
        and(lt(rateLimit.lastRequest, nowMs - hitsRetentionMs), notLike(rateLimit.key, 'day:%')),
        lt(rateLimit.lastRequest, nowMs - dayHitsRetentionMs),
      ),
    )
  return meta.changes
}
