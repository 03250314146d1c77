/** The database after all migrations: in Node for tests of the schema and its rows, and as texts for the databases of workerd tests. */
import { DatabaseSync } from 'node:sqlite'
import { migrationNames, migrationText } from '../../scripts/lib/migration-files.ts'
import type { RowOf } from '../../worker/contract/schema.ts'

export function migratedDb(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const name of migrationNames()) database.exec(migrationText(name))
  return database
}

/**
 * SQL that creates the same database in an empty one, five times faster than the migrations: for each change of a table, SQLite parses the
 * whole schema again. Three texts, because D1 accepts at most 100 KB in one. The rows precede the triggers, because they include what the
 * triggers wrote.
 */
export function textsOfMigratedDb(): string[] {
  const database = migratedDb()
  const created = database
    .prepare(`select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid`)
    .all() as { readonly type: string; readonly name: string; readonly sql: string }[]
  const [tables, others] = [created.filter(({ type }) => type === 'table'), created.filter(({ type }) => type !== 'table')]
  const insertsInto = (table: string) => {
    const columns = database.prepare('select name from pragma_table_info(?)').all(table)
    const names = columns.map(({ name }) => `"${name}"`)
    const values = names.map((name) => `quote(${name})`).join(` || ',' || `)
    const rows = database.prepare(`select ${values} list from "${table}"`).all()
    return rows.map(({ list }) => `insert into "${table}" (${names.join(',')}) values (${list})`)
  }
  const parts = [tables.map(({ sql }) => sql), tables.flatMap(({ name }) => insertsInto(name)), others.map(({ sql }) => sql)]
  return parts.map((statements) => statements.join(';\n'))
}

/** Every row of the catalogue, with the contract's type. */
export function catalogueRows(): RowOf<'model'>[] {
  const rows = migratedDb().prepare('select * from model order by position').all() as unknown as Record<string, unknown>[]
  const json = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : null)
  return rows.map((row) => ({
    ...row,
    capabilities: json(row.capabilities),
    effort: json(row.effort),
    options: json(row.options),
    fallbackIds: json(row.fallbackIds),
  })) as unknown as RowOf<'model'>[]
}
