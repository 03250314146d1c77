/**
 * Converts wire rows to SQLite columns and back: booleans are 0 and 1, json columns are JSON text, a missing optional column is null,
 * unknown columns are skipped. The engine uses column values only, so SQL and JavaScript compare the same values.
 */
import type { ColumnType, Json, Row, RowID, SqlValue, Table } from './types.ts'

/** A row, or some of its columns, as SQLite holds it. */
export type StoredRow = { readonly [column: string]: SqlValue }

/** The primary key's values in the table's order, as JSON. Identifies the row in the log and in maps. */
export type RowKey = string

export function toStoredRow(table: Table, row: Row): StoredRow {
  const stored: Record<string, SqlValue> = {}
  for (const [column, { type, optional }] of Object.entries(table.columns)) {
    const value = row[column] ?? null
    if (value === null && optional !== true) throw new TypeError(`${table.name}.${column} is required and has no value`)
    stored[column] = value === null ? null : toStoredValue(type, value, `${table.name}.${column}`)
  }
  return stored
}

/** A column in the wire form: its name as the start of a JSON member. */
type WireColumn = { readonly name: string; readonly type: ColumnType; readonly member: string }

const wireColumns = new WeakMap<Table, ReadonlyMap<string, WireColumn>>()

/** All columns of the table, or the given ones. Names are encoded once per table: once per row, a first load costs 21 % more CPU. */
function columnsOf(table: Table, names?: readonly string[]): Iterable<WireColumn> {
  let columns = wireColumns.get(table)
  if (columns === undefined) {
    const written = Object.entries(table.columns).map(([name, { type }]) => ({ name, type, member: `${JSON.stringify(name)}:` }))
    columns = new Map(written.map((column) => [column.name, column]))
    wireColumns.set(table, columns)
  }
  return names === undefined ? columns.values() : names.flatMap((name) => columns.get(name) ?? [])
}

/** The whole row, or the given columns. */
export function toWireRow(table: Table, stored: StoredRow): Row {
  const row: Record<string, Json> = {}
  for (const { name, type } of columnsOf(table)) row[name] = toWireValue(type, stored[name] ?? null)
  return row
}

/** `toWireRow` as JSON text, of all columns or of those in `names`. The value of a json column is JSON already. */
export function toWireText(table: Table, stored: StoredRow, names?: readonly string[]): string {
  let text = ''
  for (const { name, type, member } of columnsOf(table, names)) {
    const value = stored[name] ?? null
    text += `${text === '' ? '{' : ','}${member}${type === 'json' ? value : JSON.stringify(toWireValue(type, value))}`
  }
  return `${text}}`
}

/** The stored primary key of an id, in the table's order. */
export function toKeyValues(table: Table, id: RowID): readonly SqlValue[] {
  return table.primaryKey.map((column) => {
    const value = id[column]
    const type = table.columns[column]?.type
    if (value === undefined || type === undefined) throw new TypeError(`${table.name}.${column} is missing in a row's id`)
    return toStoredValue(type, value, `${table.name}.${column}`)
  })
}

export function rowKeyOf(table: Table, stored: StoredRow): RowKey {
  return JSON.stringify(table.primaryKey.map((column) => stored[column] ?? null))
}

export function rowKeyFrom(values: readonly SqlValue[]): RowKey {
  return JSON.stringify(values)
}

/** The primary key columns of a key. */
export function keyColumns(table: Table, key: RowKey): StoredRow {
  // Keys are written by `rowKeyOf` and `rowKeyFrom` alone.
  const values = JSON.parse(key) as SqlValue[]
  return Object.fromEntries(table.primaryKey.map((column, i) => [column, values[i] ?? null]))
}

export function toWireID(table: Table, stored: StoredRow): RowID {
  const id: Record<string, string | number | boolean> = {}
  for (const column of table.primaryKey) {
    const value = stored[column] ?? null
    if (value === null) throw new TypeError(`${table.name}.${column} is null in a primary key`)
    id[column] = table.columns[column]?.type === 'boolean' ? value !== 0 : value
  }
  return id
}

/** `where` names the column in the error. SQL and the client would compare a value of the wrong type differently. */
function toStoredValue(type: ColumnType, value: Exclude<Json, null>, where: string): SqlValue {
  if (type === 'json') return JSON.stringify(value)
  if (type === 'string' && typeof value === 'string') return value.toWellFormed()
  if (type === 'number' && typeof value === 'number' && Number.isFinite(value)) return value
  if (type === 'boolean' && typeof value === 'boolean') return value ? 1 : 0
  throw new TypeError(`${where} holds a ${typeof value} where a ${type} belongs`)
}

function toWireValue(type: ColumnType, value: SqlValue): Json {
  if (value === null) return null
  if (type === 'boolean') return value !== 0
  // Written by `toStoredValue`, so it is JSON.
  if (type === 'json') return JSON.parse(String(value)) as Json
  return value
}
