/** Whom a write to the directory concerned: the feed knows, so nobody keeps a list of who to tell after which call. */
import { and, gt, max, ne } from 'drizzle-orm'
import { type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { directoryChange } from './tables/sync.ts'

export async function directoryWatermark(env: DatabaseBindings): Promise<number> {
  const [row] = await orm(directoryDb(env))
    .select({ seq: max(directoryChange.seq) })
    .from(directoryChange)
  return row?.seq ?? 0
}

/** May name a few people too many, who were concerned by somebody else's write meanwhile; telling them is harmless. */
export async function usersAffectedSince(env: DatabaseBindings, watermark: number): Promise<string[]> {
  const rows = await orm(directoryDb(env))
    .selectDistinct({ userId: directoryChange.userId })
    .from(directoryChange)
    .where(and(gt(directoryChange.seq, watermark), ne(directoryChange.userId, '*')))
  return rows.map((row) => row.userId)
}
