/** The engine's `Sql` over `node:sqlite`, in memory, with the limits that `ctx.storage.sql` has in production. */
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Sql, SqlValue } from '../../worker/sync/engine/types.ts'

/** https://developers.cloudflare.com/durable-objects/platform/limits/ and, for the depths, observed in workerd. */
export const storageLimits = { variableNumber: 100, sqlLength: 100_000, column: 100, functionArg: 32, exprDepth: 100, compoundSelect: 5 }

export type NodeSql = Sql & {
  /** Statements run since the last call. */
  takeStatementCount(): number
  /** Empties every table; prepared statements stay prepared. */
  clear(): void
}

export function createNodeSql(): NodeSql {
  const database = new DatabaseSync(':memory:', { limits: storageLimits })
  const boundary = { begin: database.prepare('begin'), commit: database.prepare('commit'), rollback: database.prepare('rollback') }
  const statements = new Map<string, StatementSync>()
  let count = 0
  let depth = 0

  function prepared(text: string): StatementSync {
    count += 1
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = database.prepare(text)
    statements.set(text, statement)
    return statement
  }

  return {
    all<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) {
      // The caller names the columns it selected; node:sqlite cannot know them.
      return prepared(text).all(...binds) as T[]
    },
    /** Reads row by row. The statement returns to the cache at the end, because its text may run again while it is read. */
    *each<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) {
      const statement = prepared(text)
      statements.delete(text)
      try {
        yield* statement.iterate(...binds) as Iterable<T>
      } finally {
        statements.set(text, statement)
      }
    },
    run(text, ...binds) {
      prepared(text).run(...binds)
    },
    transaction(run) {
      if (depth > 0) return run()
      depth += 1
      boundary.begin.run()
      try {
        const result = run()
        boundary.commit.run()
        return result
      } catch (error) {
        boundary.rollback.run()
        throw error
      } finally {
        depth -= 1
      }
    },
    takeStatementCount() {
      const taken = count
      count = 0
      return taken
    },
    clear() {
      for (const { name } of database.prepare(`select name from sqlite_master where type = 'table'`).all())
        database.exec(`delete from "${name}"`)
    },
  }
}
