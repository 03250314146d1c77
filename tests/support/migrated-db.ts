/** The database after all migrations, in Node: for tests of the schema and its rows, without a Worker. */
import { DatabaseSync } from 'node:sqlite'
import { migrationNames, migrationText } from '../../scripts/lib/migration-files.ts'
import type { RowOf } from '../../worker/contract/schema.ts'

export function migratedDb(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const name of migrationNames()) database.exec(migrationText(name))
  return database
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
