/** Whom a write to the directory concerned: the feed knows, so nobody keeps a list of who to tell after which call. */
import { and, eq, gt, max, ne, sql } from 'drizzle-orm'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { directoryChange } from './tables/sync.ts'

export async function directoryWatermark(env: DatabaseBindings): Promise<number> {
  const [row] = await orm(directoryDb(env))
    .select({ seq: max(directoryChange.seq) })
    .from(directoryChange)
  return row?.seq ?? 0
}

/** Organizations that somebody joined or left: only then does an organization appear or disappear for somebody. */
export async function organizationsMovedSince(env: DatabaseBindings, watermark: number): Promise<string[]> {
  const rows = await orm(directoryDb(env))
    .selectDistinct({ organizationId: directoryChange.rowId })
    .from(directoryChange)
    .where(and(gt(directoryChange.seq, watermark), eq(directoryChange.tbl, 'organization'), ne(directoryChange.op, 'u')))
  return rows.map((row) => row.organizationId)
}

/**
 * May name a few people too many, who were concerned by somebody else's write meanwhile; telling them is harmless. Whoever is gone is left
 * out: the end of their sessions is all they hear.
 */
export async function usersAffectedSince(env: DatabaseBindings, watermark: number): Promise<string[]> {
  const rows = await orm(directoryDb(env))
    .select({ userId: directoryChange.userId, isGone: sql<number>`max(${directoryChange.tbl} = 'user' and ${directoryChange.op} = 'd')` })
    .from(directoryChange)
    .where(and(gt(directoryChange.seq, watermark), ne(directoryChange.userId, '*')))
    .groupBy(directoryChange.userId)
  return rows.flatMap(({ userId, isGone }) => (isGone ? [] : [userId]))
}
