/**
 * Credentials of deleted tool servers, kept sealed until their tokens are revoked. The batch that deletes the servers inserts the rows, so a crash
 * loses none. Each attempt is counted before it begins. Each database has the rows of its own servers.
 */
import { and, eq, inArray, lt, lte, type SQL, sql } from 'drizzle-orm'
import { firstRevocationDelayMs, maxRevocationAttempts, tokenRevocationMs } from '../contract/limits.ts'
import { orm } from './shards.ts'
import type { organizationToolServerSecret } from './tables/organizations.ts'
import { tokenRevocation, type toolServerSecret } from './tables/tool-servers.ts'

/** The statement that keeps the credentials of these servers. It runs before they are deleted, in the same batch. */
export const keepForRevocation = (
  secrets: typeof toolServerSecret | typeof organizationToolServerSecret,
  which: SQL | undefined,
  nowMs: number,
): SQL =>
  sql`insert into ${tokenRevocation} (id, sealed, createdAt, dueAt)
    select ${secrets.id}, ${secrets.sealed}, ${nowMs}, ${nowMs} from ${secrets} where ${which} on conflict do nothing`

/** Chosen: an attempt has up to 10 requests, and those of one run are made at the same time. */
const revocationsPerRun = 20

const isDue = (nowMs: number) => and(lte(tokenRevocation.dueAt, nowMs), lt(tokenRevocation.attempts, maxRevocationAttempts))

export const hasDueRevocations = async (database: D1Database, nowMs: number): Promise<boolean> =>
  (await orm(database).$count(tokenRevocation, isDue(nowMs))) > 0

/** Rows to try now; `id`: this one alone. The next attempt comes after a time that doubles, also if this one crashes. */
export function claimRevocations(database: D1Database, nowMs: number, id?: string) {
  const db = orm(database)
  const due = db
    .select({ id: tokenRevocation.id })
    .from(tokenRevocation)
    .where(and(isDue(nowMs), id ? eq(tokenRevocation.id, id) : undefined))
    .orderBy(tokenRevocation.dueAt)
    .limit(revocationsPerRun)
  return db
    .update(tokenRevocation)
    .set({
      attempts: sql`${tokenRevocation.attempts} + 1`,
      dueAt: sql`${nowMs} + (${firstRevocationDelayMs} << ${tokenRevocation.attempts})`,
    })
    .where(inArray(tokenRevocation.id, due))
    .returning({ id: tokenRevocation.id, sealed: tokenRevocation.sealed, attempts: tokenRevocation.attempts })
}

/** `sealed`: what is still to be revoked, or null. */
export async function settleRevocation(database: D1Database, id: string, sealed: string | null): Promise<void> {
  const db = orm(database)
  const isRow = eq(tokenRevocation.id, id)
  await (sealed === null ? db.delete(tokenRevocation).where(isRow) : db.update(tokenRevocation).set({ sealed }).where(isRow))
}

/** Deletes the tokens that could not be revoked in their time. They stay valid until they expire. */
export async function pruneRevocations(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(tokenRevocation)
    .where(lt(tokenRevocation.createdAt, nowMs - tokenRevocationMs))
  return meta.changes
}
