/** The database after all migrations: in Node for tests of the schema and its rows, and as texts for the databases of workerd tests. */
import { DatabaseSync } from 'node:sqlite'
import { migrationNames, migrationText } from '../../scripts/lib/migration-files.ts'
import type { RowOf } from '../../worker/contract/schema.ts'

export function migratedDb(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const name of migrationNames()) database.exec(migrationText(name))
  return database
}

type Name = { readonly name: string }
type Created = Name & { readonly sql: string }
const quoted = (name: string) => `"${name}"`

/**
 * Texts of statements that create the same database from nothing. Migrations alter tables, for which SQLite parses the whole schema again
 * each time, so they take five times as long. Three texts, because D1 takes at most 100 KB at once. Triggers come after the rows: what they
 * wrote is among the rows.
 */
export function textsOfMigratedDb(): string[] {
  const database = migratedDb()
  const objects = (where: string) =>
    database
      .prepare(`select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%' and ${where} order by rowid`)
      .all() as Created[]
  const insertsInto = ({ name }: Name) => {
    const columns = (database.prepare(`select name from pragma_table_info(?)`).all(name) as Name[]).map((column) => quoted(column.name))
    const values = columns.map((column) => `quote(${column})`).join(` || ',' || `)
    const rows = database.prepare(`select ${values} line from ${quoted(name)}`).all() as { readonly line: string }[]
    return rows.map(({ line }) => `insert into ${quoted(name)} (${columns.join(',')}) values (${line})`)
  }
  const tables = objects(`type = 'table'`)
  const rest = [...objects(`type = 'index'`), ...objects(`type not in ('table', 'index')`)]
  const parts = [tables.map(({ sql }) => sql), tables.flatMap(insertsInto), rest.map(({ sql }) => sql)]
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
