/**
 * Accounts that are being deleted. The row is inserted before any deletion and cannot be taken back: the guards
 * (migrations/0006_account_guards.sql) refuse later requests of the account's clients, and the scheduled work completes the deletion. Writes that
 * were in flight may still arrive, so the deletion is repeated until none can.
 */
import { and, eq, isNotNull, isNull, lt } from 'drizzle-orm'
import { guestRetentionMs } from '../contract/limits.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { departure } from './tables/sync.ts'
import { user } from './tables/users.ts'

export async function beginAccountDeletion(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  await orm(contentDb(env, userId)).insert(departure).values({ userId, startedAt: nowMs }).onConflictDoNothing()
}

export const isDeparting = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await orm(contentDb(env, userId)).$count(departure, eq(departure.userId, userId))) > 0

/** Chosen: longer than any request lasts that was in flight when the deletion began. */
export const lateRowsMs = 10 * 60 * 1000

/** Chosen: each takes a dozen statements. More than the guests removed per run, or the backlog would grow. */
const departuresPerRun = 100

type Departure = { readonly userId: string; readonly startedAt: number; readonly isLate: boolean }

/** `isLate`: no request that was in flight can still add rows. */
export async function readUnsettledDepartures(database: D1Database, nowMs: number): Promise<Departure[]> {
  const rows = await orm(database)
    .select({ userId: departure.userId, startedAt: departure.startedAt })
    .from(departure)
    .where(isNull(departure.settledAt))
    .orderBy(departure.startedAt)
    .limit(departuresPerRun)
  return rows.map((row) => ({ ...row, isLate: row.startedAt < nowMs - lateRowsMs }))
}

export async function settleDeparture(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  await orm(contentDb(env, userId)).update(departure).set({ settledAt: nowMs }).where(eq(departure.userId, userId))
}

export const userExists = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await orm(directoryDb(env)).$count(user, eq(user.id, userId))) > 0

/** After this time no token, turn or object's storage refers to the user, as after a linking. */
export async function pruneDepartures(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(departure)
    .where(and(isNotNull(departure.settledAt), lt(departure.startedAt, nowMs - guestRetentionMs)))
  return meta.changes
}
