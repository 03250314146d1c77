/**
 * Who is leaving: a row that stands before anything of theirs goes, so that the guards of 0018 refuse what their tabs still send. What was
 * under way then may arrive behind it, so their content is removed again until nothing can be.
 */
import { guestKeptMs } from '../contract/limits.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'
import { lateRowsMs } from './tidy-people.ts'

/** False when somebody has said so already. */
export async function beginDeparture(env: DatabaseBindings, userId: string, nowMs: number): Promise<boolean> {
  const { meta } = await contentDb(env, userId)
    .prepare('insert or ignore into departure (userId, startedAt) values (?, ?)')
    .bind(userId, nowMs)
    .run()
  return meta.changes > 0
}

/** They stay after all. */
export const callOffDeparture = (env: DatabaseBindings, userId: string): Promise<unknown> =>
  contentDb(env, userId).prepare('delete from departure where userId = ?').bind(userId).run()

/** Ours: each takes a dozen statements; more than guests go in a run, or those would wait in line for ever. */
const departuresPerRun = 100

export type Departure = { readonly userId: string; readonly startedAt: number; readonly isLate: boolean }

/** `isLate`: nothing that was under way can be any more. */
export async function readUnsettledDepartures(database: D1Database, nowMs: number): Promise<Departure[]> {
  const { results } = await database
    .prepare('select userId, startedAt from departure where settledAt is null order by startedAt limit ?')
    .bind(departuresPerRun)
    .all<Pick<Departure, 'userId' | 'startedAt'>>()
  return results.map((row) => ({ ...row, isLate: row.startedAt < nowMs - lateRowsMs }))
}

export const settleDeparture = (env: DatabaseBindings, userId: string, nowMs: number): Promise<unknown> =>
  contentDb(env, userId).prepare('update departure set settledAt = ? where userId = ?').bind(nowMs, userId).run()

export const isStillThere = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await directoryDb(env).prepare('select 1 from user where id = ?').bind(userId).first()) !== null

/** As with a hand-over: no token, no turn and no object's storage knows them after this long. */
export async function pruneDepartures(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await database
    .prepare('delete from departure where settledAt is not null and startedAt < ?')
    .bind(nowMs - guestKeptMs)
    .run()
  return meta.changes
}
