/**
 * Collects what a client must be told: rows to put, and rows it may hold that it perhaps should not. Sets of rows are kept as the statements
 * that read them and are read when they are told, so that a set of any size costs no memory. Whether a candidate is really deleted is decided
 * then, once, against every live query (SPEC E5: one op per row, put and update beat del).
 */
import type { RowChange, Written } from './changes.ts'
import { type RowKey, rowKeyOf, type StoredRow, toWireID, toWireRow, toWireText } from './codec.ts'
import { type Fragment, queryEach } from './fragment.ts'
import type { RowOp, Sql, Table } from './types.ts'

/** One row told; the row is as it is now, or as it last was. Of an update, the columns that are told. */
export type StoredOp =
  | { readonly op: 'put' | 'del'; readonly table: Table; readonly row: StoredRow }
  | { readonly op: 'update'; readonly table: Table; readonly row: StoredRow; readonly columns: readonly string[] }

/** Where a step leaves what it finds: single rows, and sets named by a statement about the asked row. */
export type Sink = {
  /** `written`: the client certainly holds the row, and at most these columns differ. */
  row(table: Table, row: StoredRow, written?: Written): void
  rows(table: Table, statement: Fragment, asked: StoredRow): void
}

type IsMember = (table: Table, row: StoredRow) => boolean

export class RowOps {
  readonly #puts: Findings
  readonly #candidates: Findings

  constructor(sql: Sql) {
    this.#puts = new Findings(sql)
    this.#candidates = new Findings(sql)
  }

  get puts(): Sink {
    return this.#puts
  }

  /** The client may hold these, which are as they are now. */
  get candidates(): Sink {
    return this.#candidates
  }

  /** Reads and tells, updates first. `isMember` answers whether any live query covers a row now. */
  *finish(changes: readonly RowChange[], isMember: IsMember): Generator<StoredOp> {
    yield* this.#puts.updates()
    for (const [table, row] of this.#puts.each()) yield { op: 'put', table, row }
    yield* this.#deletions(changes, isMember)
  }

  *#deletions(changes: readonly RowChange[], isMember: IsMember): Generator<StoredOp> {
    const told = new Map<Table, Set<RowKey>>()
    for (const { table, key, old, row, quiet } of changes) {
      // What was not there then, the client does not have.
      if (!quiet && old !== null && !this.#puts.has(table, key) && (row === null || !isMember(table, row))) {
        ofTable(told, table).add(key)
        yield { op: 'del', table, row: old }
      }
    }
    for (const [table, row] of this.#candidates.each()) {
      if (told.get(table)?.has(rowKeyOf(table, row)) || isMember(table, row)) continue
      yield { op: 'del', table, row }
    }
  }
}

type Found = { readonly row: StoredRow; readonly written: Written }

/** Rows found one by one are held; sets are not. */
class Findings implements Sink {
  readonly #sql: Sql
  readonly #single = new Map<Table, Map<RowKey, Found>>()
  readonly #sets = new Map<Table, { readonly statement: Fragment; readonly asked: StoredRow }[]>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** That the client holds it is certain as soon as one query is certain of it. */
  row(table: Table, row: StoredRow, written: Written = null): void {
    const ofThis = this.#single.get(table) ?? new Map<RowKey, Found>()
    this.#single.set(table, ofThis)
    const key = rowKeyOf(table, row)
    ofThis.set(key, { row, written: written ?? ofThis.get(key)?.written ?? null })
  }

  rows(table: Table, statement: Fragment, asked: StoredRow): void {
    const ofThis = this.#sets.get(table) ?? []
    this.#sets.set(table, ofThis)
    ofThis.push({ statement, asked })
  }

  has(table: Table, key: RowKey): boolean {
    return this.#single.get(table)?.has(key) === true
  }

  *updates(): Generator<StoredOp> {
    for (const [table, rows] of this.#single)
      for (const { row, written } of rows.values()) if (written !== null) yield { op: 'update', table, row, columns: written }
  }

  /** Every row once, but for updates. The keys of what was told are kept while another set of the same table is still to come, and only then. */
  *each(): Generator<readonly [Table, StoredRow]> {
    for (const [table, rows] of this.#single) for (const { row, written } of rows.values()) if (written === null) yield [table, row]
    for (const [table, sets] of this.#sets) {
      const single = this.#single.get(table)
      const told = new Set<RowKey>()
      for (const [i, { statement, asked }] of sets.entries()) {
        const isLast = i === sets.length - 1
        for (const row of queryEach(this.#sql, statement, asked)) {
          const key = isLast && told.size === 0 && !single ? null : rowKeyOf(table, row)
          if (key !== null && (single?.has(key) || told.has(key))) continue
          if (key !== null && !isLast) told.add(key)
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

export function toRowOp(told: StoredOp): RowOp {
  const { op, table, row } = told
  const tableName = table.name
  if (op === 'put') return { op, tableName, value: toWireRow(table, row) }
  const id = toWireID(table, row)
  return op === 'update' ? { op, tableName, id, merge: toWireRow(table, row, told.columns) } : { op, tableName, id }
}

/** `toRowOp` as JSON text. */
export function* toRowTexts(ops: Iterable<StoredOp>): Generator<string> {
  for (const told of ops) yield toRowText(told)
}

function toRowText(told: StoredOp): string {
  const { op, table, row } = told
  const head = `{"op":"${op}","tableName":${JSON.stringify(table.name)},`
  if (op === 'put') return `${head}"value":${toWireText(table, row)}}`
  const id = `"id":${JSON.stringify(toWireID(table, row))}`
  return op === 'update' ? `${head}${id},"merge":${toWireText(table, row, told.columns)}}` : `${head}${id}}`
}
