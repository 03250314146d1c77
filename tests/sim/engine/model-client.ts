/** A model of the client: it applies deltas to a row store and evaluates its queries over it. */
import type { Row, Tables, Version } from '../../../worker/sync/engine/types.ts'
import type { ParsedDelta } from '../../support/delta-of.ts'
import { type Database, rowID } from '../../support/naive-evaluator.ts'

export type RowStore = Map<string, Map<string, { readonly row: Row; readonly text: string }>>

export type ModelClient = {
  readonly groupID: string
  readonly name: string
  cookie: Version | null
  rows: RowStore
  got: Set<string>
  isOnline: boolean
}

export type Snapshot = Pick<ModelClient, 'cookie' | 'rows' | 'got'>

export function applyDelta(tables: Tables, client: ModelClient, delta: ParsedDelta): void {
  if (delta.clear) {
    client.rows.clear()
    client.got.clear()
  }
  const seen = new Set<string>()
  for (const op of delta.rows) {
    const id = rowID(tables, op.tableName, op.op === 'put' ? op.value : op.id)
    if (seen.has(`${op.tableName}/${id}`)) throw new Error(`[E5] two ops for ${op.tableName}/${id}`)
    seen.add(`${op.tableName}/${id}`)
    if (op.op === 'put') setRow(client.rows, op.tableName, id, op.value)
    else if (op.op === 'update') setRow(client.rows, op.tableName, id, { ...heldRow(client, op.tableName, id), ...op.merge })
    else client.rows.get(op.tableName)?.delete(id)
  }
  for (const hash of delta.got) {
    if (client.got.has(hash)) throw new Error(`${hash} was got twice`)
    client.got.add(hash)
  }
  for (const hash of delta.removed) {
    if (!client.got.delete(hash)) throw new Error(`${hash} went without having been got`)
  }
  const isEmpty = delta.rows.length + delta.got.length + delta.removed.length === 0
  if (client.cookie !== null && !isEmpty && delta.version <= client.cookie) {
    throw new Error(`[E9] content at ${delta.version}, which is not above ${client.cookie}: a client drops it`)
  }
  client.cookie = delta.version
}

/** The real client would insert a row from an update alone. */
function heldRow(client: ModelClient, table: string, id: string): Row {
  const held = client.rows.get(table)?.get(id)
  if (held === undefined) throw new Error(`[E20] an update of ${table}/${id}, which the client does not hold`)
  return held.row
}

export function snapshotOf(client: ModelClient): Snapshot {
  return { cookie: client.cookie, rows: new Map([...client.rows].map(([table, rows]) => [table, new Map(rows)])), got: new Set(client.got) }
}

export function restore(client: ModelClient, snapshot: Snapshot): void {
  Object.assign(client, snapshotOf({ ...client, ...snapshot }))
}

export function setRow(store: RowStore, table: string, id: string, row: Row): void {
  const rows = store.get(table) ?? new Map()
  store.set(table, rows)
  rows.set(id, { row, text: JSON.stringify(row) })
}

export function databaseOf(store: RowStore): Database {
  return Object.fromEntries([...store].map(([table, rows]) => [table, Array.from(rows.values(), ({ row }) => row)]))
}
