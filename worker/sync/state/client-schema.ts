/** Compares the tables of a client with the server's. The server may have more; what the client has must be the same. */
import type { Tables } from '../engine/types.ts'
import type { ClientSchema } from '../protocol/up.ts'

/** The schema that a client of this deploy sends. */
export const clientSchemaOf = (tables: Tables): ClientSchema => ({
  tables: Object.fromEntries(
    Object.entries(tables).map(([name, { columns, primaryKey }]) => [
      name,
      { columns: Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, { type }])), primaryKey: [...primaryKey] },
    ]),
  ),
})

/** The first difference, in words; null when the client's tables fit. */
export function schemaMismatch(client: ClientSchema, tables: Tables): string | null {
  for (const [name, { columns, primaryKey }] of Object.entries(client.tables)) {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined
    if (!table) return `table ${name} is unknown`
    for (const [column, { type }] of Object.entries(columns)) {
      const known = Object.hasOwn(table.columns, column) ? table.columns[column] : undefined
      if (!known) return `column ${name}.${column} is unknown`
      if (known.type !== type) return `column ${name}.${column} is a ${known.type}, not a ${type}`
    }
    if (primaryKey && primaryKey.toSorted().join() !== table.primaryKey.toSorted().join())
      return `the primary key of ${name} is ${table.primaryKey.join()}`
  }
  return null
}
