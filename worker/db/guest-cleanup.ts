/** Cleanup of idle guests and of interrupted linkings. */
import { and, eq, gte, isNotNull, isNull, lt, notExists, sql } from 'drizzle-orm'
import { guestRetentionMs } from '../contract/limits.ts'
import { logger } from '../lib/logger.ts'
import { lateRowsMs, userExists } from './account-deletions.ts'
import { abandonLinking, linkGuest } from './account-linking.ts'
import { contentDbs, type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { linking } from './tables/sync.ts'
import { session, user } from './tables/users.ts'

/** Chosen: each removes all rows of a user. */
const guestsPerRun = 50

/** A session updates its expiry, and `updatedAt` with it, on every day of use. */
export async function readIdleGuests(env: DatabaseBindings, nowMs: number): Promise<string[]> {
  const db = orm(directoryDb(env))
  const idleSince = new Date(nowMs - guestRetentionMs)
  const recentSession = db
    .select({ id: session.id })
    .from(session)
    .where(and(eq(session.userId, user.id), gte(session.updatedAt, idleSince)))
  const guests = await db
    .select({ id: user.id })
    .from(user)
    // The index user_guests serves the literal only, not a bound value.
    .where(and(sql`${user.isAnonymous} = 1`, lt(user.updatedAt, idleSince), notExists(recentSession)))
    .orderBy(user.updatedAt)
    .limit(guestsPerRun)
  return guests.map(({ id }) => id)
}

/** Chosen: each moves all rows of a guest. */
const linkingsPerRun = 50

/** A failed linking is retried by the next run and does not delay the others. */
export async function finishLinkings(env: DatabaseBindings, nowMs: number): Promise<number> {
  let finished = 0
  for (const database of contentDbs(env)) {
    const pairs = await orm(database)
      .select({ guestId: linking.guestId, accountId: linking.accountId, createdAt: linking.createdAt })
      .from(linking)
      .where(isNull(linking.finishedAt))
      .orderBy(linking.createdAt)
      .limit(linkingsPerRun)
    for (const { createdAt, ...pair } of pairs) {
      try {
        const isLate = createdAt < nowMs - lateRowsMs
        if (isLate && !(await userExists(env, pair.accountId))) await abandonLinking(env, pair)
        else await linkGuest(env, pair, nowMs)
        finished += 1
      } catch (error) {
        logger.error('linking_not_finished', error, pair)
      }
    }
  }
  return finished
}

/** After this time no token, turn or object's storage refers to the guest. */
export async function pruneLinkings(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(linking)
    .where(and(isNotNull(linking.finishedAt), lt(linking.createdAt, nowMs - guestRetentionMs)))
  return meta.changes
}
