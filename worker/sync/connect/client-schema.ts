/** Whether a client's tables are among ours. The server may know more; what the client knows must be the same. */
import { schema } from '../../contract/schema.ts'
import type { ClientSchema } from '../protocol/init-connection.ts'

type Tables = {
  readonly [table: string]: {
    readonly columns: { readonly [column: string]: { readonly type: string } }
    readonly primaryKey: readonly string[]
  }
}

/** As a client of this deploy would send it. */
export const ownClientSchema: ClientSchema = {
  tables: Object.fromEntries(
    Object.entries(schema.tables).map(([name, { columns, primaryKey }]) => [
      name,
      { columns: Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, { type }])), primaryKey: [...primaryKey] },
    ]),
  ),
}

/** What does not fit, in words; null when everything does. */
export function schemaMismatch(client: ClientSchema, tables: Tables = schema.tables): string | null {
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
