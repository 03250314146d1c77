/** Columns of the table definitions that D1 does not have, because migrations were not applied. */
import { is, sql } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { orm } from './shards.ts'
import * as catalogue from './tables/catalogue.ts'
import * as organizations from './tables/organizations.ts'
import * as sync from './tables/sync.ts'
import * as threads from './tables/threads.ts'
import * as userContent from './tables/user-content.ts'
import * as users from './tables/users.ts'

export async function schemaGaps(db: D1Database): Promise<string[]> {
  const stored = await orm(db).all<{ readonly existing: string }>(
    sql`select tbl.name || '.' || col.name existing from sqlite_master tbl join pragma_table_info(tbl.name) col
      where tbl.type = 'table' and tbl.name not like 'sqlite\\_%' escape '\\' and tbl.name not like '\\_cf%' escape '\\'`,
  )
  const existing = new Set(stored.map((row) => row.existing))
  return [users, organizations, catalogue, threads, userContent, sync]
    .flatMap((group) => Object.values(group))
    .filter((table): table is SQLiteTable => is(table, SQLiteTable))
    .map((table) => getTableConfig(table))
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    .filter((column) => !existing.has(column))
}
