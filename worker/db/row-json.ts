/**
 * A row of a synced table as JSON, made by SQL and read here. An array in the contract's column order: SQLite functions take 32 arguments
 * on D1 (platform limit), and an object needs two per column.
 */
import { schema, type TableName } from '../contract/schema.ts'

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value | undefined }

/** A row as the wire carries it: booleans as booleans, json columns as nested JSON. */
export type RecordRow = { readonly [column: string]: Value | undefined }

type Column = { readonly type: 'string' | 'number' | 'boolean' | 'json'; readonly optional?: boolean }

const columnsOf = (table: TableName) => Object.entries<Column>(schema.tables[table].columns)

/** The expression for one row of `table`. Text that is no JSON in a json column becomes null instead of failing everybody's whole page. */
export function rowSql(table: TableName): string {
  const values = columnsOf(table).map(([column, { type }]) => {
    const name = `${table}."${column}"`
    return type === 'json' ? `case when json_valid(${name}) then json(${name}) end` : name
  })
  return `json_array(${values.join(', ')})`
}

/**
 * Null for a row that is not what the contract says. SQLite stores anything anywhere, and a person with an SQL console can write it:
 * such a row is nobody's to see, and must not keep the others from being seen.
 */
export function decodeRow(table: TableName, content: string): RecordRow | null {
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
