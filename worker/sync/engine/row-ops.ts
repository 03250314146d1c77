/**
 * Collects the ops of a delta: rows to put, and rows that the client may hold and should not. Sets are stored as statements and read while
 * they are sent, so a set of any size needs no memory. A candidate is deleted only if no live query covers it (SPEC E5: one op per row, put
 * and update win over del).
 */
import type { RowChange, Written } from './changes.ts'
import { type RowKey, rowKeyOf, type StoredRow, toWireID, toWireText } from './codec.ts'
import { type Fragment, queryEach } from './fragment.ts'
import type { Sql, Table } from './types.ts'

/** One op. The row is the current one or the last one; for an update with the columns to send. */
export type StoredOp =
  | { readonly op: 'put' | 'del'; readonly table: Table; readonly row: StoredRow }
  | { readonly op: 'update'; readonly table: Table; readonly row: StoredRow; readonly columns: readonly string[] }

/** Receives the results of a step: single rows, and sets as a statement about the given row. */
export type Sink = {
  /** `written`: the client certainly holds the row, and at most these columns differ. */
  row(table: Table, row: StoredRow, written?: Written): void
  rows(table: Table, statement: Fragment, given: StoredRow): void
}

type IsMember = (table: Table, row: StoredRow) => boolean

export class RowOps {
  readonly #puts: CollectedRows
  readonly #candidates: CollectedRows

  constructor(sql: Sql) {
    this.#puts = new CollectedRows(sql)
    this.#candidates = new CollectedRows(sql)
  }

  get puts(): Sink {
    return this.#puts
  }

  /** The client may hold these unchanged rows. */
  get candidates(): Sink {
    return this.#candidates
  }

  /** Reads and returns the ops, updates first. `isMember` tests whether a live query covers a row now. */
  *finish(changes: readonly RowChange[], isMember: IsMember): Generator<StoredOp> {
    yield* this.#puts.updates()
    for (const [table, row] of this.#puts.each()) yield { op: 'put', table, row }
    yield* this.#deletions(changes, isMember)
  }

  *#deletions(changes: readonly RowChange[], isMember: IsMember): Generator<StoredOp> {
    const sent = new Map<Table, Set<RowKey>>()
    for (const { table, key, old, row, isNonStructural } of changes) {
      // The client cannot have a row that did not exist then.
      if (!isNonStructural && old !== null && !this.#puts.has(table, key) && (row === null || !isMember(table, row))) {
        ofTable(sent, table).add(key)
        yield { op: 'del', table, row: old }
      }
    }
    for (const [table, row] of this.#candidates.each()) {
      if (sent.get(table)?.has(rowKeyOf(table, row)) || isMember(table, row)) continue
      yield { op: 'del', table, row }
    }
  }
}

type CollectedRow = { readonly row: StoredRow; readonly written: Written }

/** Single rows are in memory; sets are not. */
class CollectedRows implements Sink {
  readonly #sql: Sql
  readonly #single = new Map<Table, Map<RowKey, CollectedRow>>()
  readonly #sets = new Map<Table, { readonly statement: Fragment; readonly given: StoredRow }[]>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The written columns stay if one query gives them. */
  row(table: Table, row: StoredRow, written: Written = null): void {
    const ofThis = this.#single.get(table) ?? new Map<RowKey, CollectedRow>()
    this.#single.set(table, ofThis)
    const key = rowKeyOf(table, row)
    ofThis.set(key, { row, written: written ?? ofThis.get(key)?.written ?? null })
  }

  rows(table: Table, statement: Fragment, given: StoredRow): void {
    const ofThis = this.#sets.get(table) ?? []
    this.#sets.set(table, ofThis)
    ofThis.push({ statement, given })
  }

  has(table: Table, key: RowKey): boolean {
    return this.#single.get(table)?.has(key) === true
  }

  *updates(): Generator<StoredOp> {
    for (const [table, rows] of this.#single)
      for (const { row, written } of rows.values()) if (written !== null) yield { op: 'update', table, row, columns: written }
  }

  /** Every row once, except for updates. The keys of sent rows stay in memory only while another set of the same table follows. */
  *each(): Generator<readonly [Table, StoredRow]> {
    for (const [table, rows] of this.#single) for (const { row, written } of rows.values()) if (written === null) yield [table, row]
    for (const [table, sets] of this.#sets) {
      const single = this.#single.get(table)
      const sent = new Set<RowKey>()
      for (const [i, { statement, given }] of sets.entries()) {
        const isLast = i === sets.length - 1
        for (const row of queryEach(this.#sql, statement, given)) {
          const key = isLast && sent.size === 0 && !single ? null : rowKeyOf(table, row)
          if (key !== null && (single?.has(key) || sent.has(key))) continue
          if (key !== null && !isLast) sent.add(key)
          yield [table, row]
        }
      }
    }
  }
}

function ofTable(keys: Map<Table, Set<RowKey>>, table: Table): Set<RowKey> {
  const ofThis = keys.get(table) ?? new Set<RowKey>()
  keys.set(table, ofThis)
  return ofThis
}

/** JSON texts of `RowOp`. */
export function* toRowTexts(ops: Iterable<StoredOp>): Generator<string> {
  for (const stored of ops) yield toRowText(stored)
}

function toRowText(stored: StoredOp): string {
  const { op, table, row } = stored
  const head = `{"op":"${op}","tableName":${JSON.stringify(table.name)},`
  if (op === 'put') return `${head}"value":${toWireText(table, row)}}`
  const id = `"id":${JSON.stringify(toWireID(table, row))}`
  return op === 'update' ? `${head}${id},"merge":${toWireText(table, row, stored.columns)}}` : `${head}${id}}`
}
