/** The engine's door to SQLite, opened on a Durable Object's own storage. */
import type { Sql, SqlValue } from './engine/types.ts'

export function objectSql(storage: DurableObjectStorage): Sql {
  let depth = 0
  return {
    all: <T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) => storage.sql.exec<T>(text, ...binds).toArray(),
    each: <T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) => storage.sql.exec<T>(text, ...binds),
    run(text, ...binds) {
      storage.sql.exec(text, ...binds)
    },
    /** Joins an outer transaction, so that a throw anywhere inside undoes all of it. */
    transaction(run) {
      if (depth > 0) return run()
      depth += 1
      try {
        return storage.transactionSync(run)
      } finally {
        depth -= 1
      }
    },
  }
}
