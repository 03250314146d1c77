// SQLite's query plan for a statement.
import type { Sql } from '../../worker/sync/engine/types.ts'

export const explained = (sql: Pick<Sql, 'all'>, text: string): readonly string[] =>
  sql.all<{ detail: string }>(`explain query plan ${text}`).map(({ detail }) => detail)
