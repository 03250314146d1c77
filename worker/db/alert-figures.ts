/** The figures of one database that have an alert threshold. Each is read from an index or from the file's header. */
import { and, count, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { orm } from './shards.ts'
import { contentChange, directoryChange } from './tables/sync.ts'
import { generation } from './tables/threads.ts'

/** A stopped or interrupted answer does not show whether the provider failed. */
const endingsOfProvider = ['completed', 'failed'] as const

export type EndedTurns = { readonly modelId: string; readonly status: string; readonly turns: number }

export const readEndedTurns = (database: D1Database, sinceMs: number): Promise<EndedTurns[]> =>
  orm(database)
    .select({ modelId: generation.modelId, status: generation.status, turns: count() })
    .from(generation)
    .where(and(inArray(generation.status, [...endingsOfProvider]), gt(generation.createdAt, sinceMs)))
    .groupBy(generation.modelId, generation.status)

export async function countOpenTurns(database: D1Database, beforeMs: number): Promise<number> {
  const [row] = await orm(database)
    .select({ turns: count() })
    .from(generation)
    .where(and(eq(generation.status, 'open'), lt(generation.createdAt, beforeMs)))
  return row?.turns ?? 0
}

/** `feedRows`: the range of numbers in the larger feed. Rows are removed from the start only, so it is the number of rows. */
export async function readSizes(database: D1Database): Promise<{ readonly feedRows: number; readonly bytes: number }> {
  const span = (feed: typeof contentChange | typeof directoryChange) => sql`(select coalesce(max(seq) - min(seq) + 1, 0) from ${feed})`
  const { results, meta } = await orm(database).run(sql`select max(${span(contentChange)}, ${span(directoryChange)}) as feedRows`)
  const [row] = results as { feedRows: number }[]
  return { feedRows: row?.feedRows ?? 0, bytes: meta.size_after }
}
