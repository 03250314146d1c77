/**
 * Which queries a client may call complete. While rows are still being imported, one that reads a table of which some are missing is answered
 * with what is there and is not; when the import is done, everybody is told anew.
 */
import { scopeOf } from '../engine/scope.ts'
import type { Version } from '../engine/types.ts'
import { syncedTables } from '../synced-tables.ts'
import type { UserState } from '../user-state.ts'

/** `got` are those that the engine calls complete and a client at `since` has not heard of. */
export function completeQueries(
  { engine, meta }: UserState,
  groupID: string,
  since: Version | null,
  got: readonly string[],
): readonly string[] {
  const { cursors, completedAt } = meta.importing
  if (cursors.length === 0) return since !== null && since < completedAt ? engine.queries(groupID).map(({ hash }) => hash) : got
  const partial = cursors.map(({ table }) => table)
  const isWhole = new Set(
    engine.queries(groupID).flatMap(({ hash, ast }) => {
      const { tables } = scopeOf(ast, syncedTables)
      return partial.some((table) => tables.has(table)) ? [] : [hash]
    }),
  )
  return got.filter((hash) => isWhole.has(hash))
}
