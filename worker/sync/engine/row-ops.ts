/**
 * Collects what a client must be told: rows to put, and rows it may hold that it perhaps should not. Whether a candidate is
 * really deleted is decided at the end, once, against every live query (SPEC E5: one op per row, put beats del).
 */
import type { RowChange } from './changes.ts'
import { type RowKey, rowKeyOf, type StoredRow, toWireID, toWireRow } from './codec.ts'
import type { RowOp, Table } from './types.ts'

export class RowOps {
  readonly #puts = new Map<Table, Map<RowKey, StoredRow>>()
  readonly #candidates = new Map<Table, Map<RowKey, StoredRow>>()

  put(table: Table, row: StoredRow): void {
    ofTable(this.#puts, table).set(rowKeyOf(table, row), row)
  }

  /** The client may hold `row`, which is as it is now. */
  mayDelete(table: Table, row: StoredRow): void {
    ofTable(this.#candidates, table).set(rowKeyOf(table, row), row)
  }

  /** `isMember` answers whether any live query covers a row now. */
  finish(changes: readonly RowChange[], isMember: (table: Table, row: StoredRow) => boolean): readonly RowOp[] {
    const ops: RowOp[] = []
    for (const [table, rows] of this.#puts) {
      for (const row of rows.values()) ops.push({ op: 'put', tableName: table.name, value: toWireRow(table, row) })
    }
    for (const [table, rows] of this.#deletions(changes, isMember)) {
      for (const row of rows.values()) ops.push({ op: 'del', tableName: table.name, id: toWireID(table, row) })
    }
    return ops
  }

  #deletions(changes: readonly RowChange[], isMember: (table: Table, row: StoredRow) => boolean): Map<Table, Map<RowKey, StoredRow>> {
    const deletions = new Map<Table, Map<RowKey, StoredRow>>()
    const isPut = (table: Table, key: RowKey) => this.#puts.get(table)?.has(key) === true
    for (const { table, key, old, row, quiet } of changes) {
      const image = old ?? row
      // A changed row nobody put is a member of nothing: current coverage would have put it.
      if (!quiet && image !== null && !isPut(table, key)) ofTable(deletions, table).set(key, image)
    }
    for (const [table, rows] of this.#candidates) {
      for (const [key, row] of rows) {
        if (isPut(table, key) || deletions.get(table)?.has(key) === true || isMember(table, row)) continue
        ofTable(deletions, table).set(key, row)
      }
    }
    return deletions
  }
}

function ofTable(maps: Map<Table, Map<RowKey, StoredRow>>, table: Table): Map<RowKey, StoredRow> {
  const rows = maps.get(table) ?? new Map<RowKey, StoredRow>()
  maps.set(table, rows)
  return rows
}
