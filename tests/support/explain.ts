// What SQLite would do for a statement, in its own words.
import type { Sql } from '../../worker/sync/engine/types.ts'

export const explained = (sql: Pick<Sql, 'all'>, text: string): readonly string[] =>
  sql.all<{ detail: string }>(`explain query plan ${text}`).map(({ detail }) => detail)
