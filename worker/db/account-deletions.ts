/**
 * Accounts that are being deleted. The row is inserted before any deletion and cannot be taken back: the guards
 * (migrations/0006_account_guards.sql) refuse later requests of the account's clients, and the scheduled work completes the deletion. Writes that
 * were in flight may still arrive, so the deletion is repeated until none can.
 */
import { and, eq, isNotNull, isNull, lt } from 'drizzle-orm'
import { guestRetentionMs } from '../contract/limits.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { accountDeletion } from './tables/sync.ts'
import { user } from './tables/users.ts'

export async function beginAccountDeletion(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  await orm(contentDb(env, userId)).insert(accountDeletion).values({ userId, startedAt: nowMs }).onConflictDoNothing()
}

export const isBeingDeleted = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await orm(contentDb(env, userId)).$count(accountDeletion, eq(accountDeletion.userId, userId))) > 0

/** Chosen: longer than any request lasts that was in flight when the deletion began. */
export const lateRowsMs = 10 * 60 * 1000

/** Chosen: each takes a dozen statements. More than the guests removed per run, or the backlog would grow. */
const deletionsPerRun = 100

type Deletion = { readonly userId: string; readonly startedAt: number; readonly isLate: boolean }

/** `isLate`: no request that was in flight can still add rows. */
export async function readUnsettledDeletions(database: D1Database, nowMs: number): Promise<Deletion[]> {
  const rows = await orm(database)
    .select({ userId: accountDeletion.userId, startedAt: accountDeletion.startedAt })
    .from(accountDeletion)
    .where(isNull(accountDeletion.settledAt))
    .orderBy(accountDeletion.startedAt)
    .limit(deletionsPerRun)
  return rows.map((row) => ({ ...row, isLate: row.startedAt < nowMs - lateRowsMs }))
}

export async function settleDeletion(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  await orm(contentDb(env, userId)).update(accountDeletion).set({ settledAt: nowMs }).where(eq(accountDeletion.userId, userId))
}

export const userExists = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await orm(directoryDb(env)).$count(user, eq(user.id, userId))) > 0

/** After this time no token, turn or object's storage refers to the user, as after a linking. */
export async function pruneDeletions(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(accountDeletion)
    .where(and(isNotNull(accountDeletion.settledAt), lt(accountDeletion.startedAt, nowMs - guestRetentionMs)))
  return meta.changes
}
