/**
 * Writes of a user's mutations as D1 statements. Every statement checks the owner, so a mutation with the id of another user's row changes
 * nothing. A conflicting insert fails its batch, because the existing row is not in this user's replica.
 */
import { schema, type TableName } from '../contract/schema.ts'
import type { RecordRow } from './row-json.ts'

/** Tables that mutations write. Other tables have their own writers. */
const writable = ['thread', 'project', 'message', 'queuedMessage', 'share', 'setting'] as const satisfies readonly TableName[]
export type WritableTable = (typeof writable)[number]

export const isWritable = (table: string): table is WritableTable => writable.some((name) => name === table)

export type RowWrite =
  | { readonly kind: 'insert' | 'upsert'; readonly table: WritableTable; readonly row: RecordRow }
  /** `row`: the id and the columns to change. */
  | { readonly kind: 'update'; readonly table: WritableTable; readonly row: RecordRow }
  | { readonly kind: 'delete'; readonly table: WritableTable; readonly row: RecordRow }

export function rowStatement(db: D1Database, userId: string, { kind, table, row }: RowWrite): D1PreparedStatement {
  const columns = columnsOf(table, row)
  const values = columns.map((column) => toD1(row[column]))
  const names = columns.map((column) => `"${column}"`).join(', ')
  const changed = columns.filter((column) => column !== 'id' && column !== 'userId')
  switch (kind) {
    case 'insert':
      return db.prepare(`insert into ${table} (${names}) values (${marks(values)})`).bind(...values)
    case 'upsert': {
      const updates = changed.map((column) => `"${column}" = excluded."${column}"`).join(', ')
      return db
        .prepare(
          `insert into ${table} (${names}) values (${marks(values)}) on conflict (id) do update set ${updates} where userId = excluded.userId`,
        )
        .bind(...values)
    }
    case 'update': {
      const updates = changed.map((column) => `"${column}" = ?`).join(', ')
      return db
        .prepare(`update ${table} set ${updates} where id = ? and userId = ?`)
        .bind(...changed.map((column) => toD1(row[column])), toD1(row.id), userId)
    }
    case 'delete':
      return db.prepare(`delete from ${table} where id = ? and userId = ?`).bind(toD1(row.id), userId)
  }
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** Column names come from the schema, never from a client. */
const columnsOf = (table: WritableTable, row: RecordRow): string[] =>
  Object.keys(schema.tables[table].columns).filter((column) => row[column] !== undefined)

function toD1(value: RecordRow[string]): string | number | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'object' ? JSON.stringify(value) : value
}
