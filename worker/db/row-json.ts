/**
 * A row of a synced table as JSON, made by SQL and read here. An array in the contract's column order: SQLite functions take 32 arguments
 * on D1 (platform limit), and an object needs two per column.
 */
import { schema, type TableName } from '../contract/schema.ts'

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value | undefined }

/** A row in wire format: booleans as booleans, JSON columns as nested JSON. */
export type D1Row = { readonly [column: string]: Value | undefined }

type Column = { readonly type: 'string' | 'number' | 'boolean' | 'json'; readonly optional?: boolean }

const columnsByTable = new Map(Object.values(schema.tables).map(({ name, columns }) => [name, Object.entries<Column>(columns)]))
const columnsOf = (table: TableName) => columnsByTable.get(table) ?? []

/** SQL expression for one row of `table`. Invalid JSON in a JSON column becomes null, because it would fail the whole page. */
export function rowSql(table: TableName): string {
  const values = columnsOf(table).map(([column, { type }]) => {
    const name = `${table}."${column}"`
    return type === 'json' ? `case when json_valid(${name}) then json(${name}) end` : name
  })
  return `json_array(${values.join(', ')})`
}

/**
 * Null for a row that does not match the contract. SQLite does not enforce column types, and operators can write any value. Such a row is
 * skipped, so that the other rows are still read.
 */
export function decodeRow(table: TableName, content: string): D1Row | null {
  // Written by `rowSql`.
  const values = JSON.parse(content) as Value[]
  const row: Record<string, Value> = {}
  for (const [i, [column, { type, optional }]] of columnsOf(table).entries()) {
    const value = values[i] ?? null
    if (value === null ? optional !== true : !fits(type, value)) return null
    row[column] = type === 'boolean' && value !== null ? value !== 0 : value
  }
  return row
}

function fits(type: Column['type'], value: Value): boolean {
  switch (type) {
    case 'boolean':
      return value === 0 || value === 1
    case 'json':
      return true
    default:
      return typeof value === type
  }
}
