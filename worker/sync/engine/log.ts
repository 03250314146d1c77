/**
 * The change log: one entry per changed row and version, with the structural columns before the change (SPEC E4). An entry without an old
 * image is an insert or a non-structural update. The changes of one step are one row of the table, because an object is billed per written
 * row.
 */
import { keyColumns, type RowKey, type StoredRow } from './codec.ts'
import type { Plan } from './plan.ts'
import type { Sql, Table, Tables, Version } from './types.ts'

export type LogEntry = {
  readonly version: Version
  readonly table: string
  readonly key: RowKey
  readonly op: 'insert' | 'update' | 'delete'
  readonly old: StoredRow | null
}

/** `op` p is a pack: `old` holds its entries, `v` is the version of the last one. */
type LogRow = { v: number; tbl: string; pk: string; op: string; old: string | null }

const OPS = { i: 'insert', u: 'update', d: 'delete' } as const

/** Chosen: entries of one row, far below the 2 MB that a row may have. */
const MAX_PACKED = 100

export function createLog(sql: Sql): void {
  sql.run('create table if not exists z_log (v integer primary key, tbl text, pk text, op text, old text)')
}

/** `entries` oldest first. */
export function appendLog(sql: Sql, entries: readonly LogEntry[]): void {
  const insert = 'insert into z_log (v, tbl, pk, op, old) values (?, ?, ?, ?, ?)'
  for (let at = 0; at < entries.length; at += MAX_PACKED) {
    const pack = entries.slice(at, at + MAX_PACKED)
    const last = pack.at(-1)
    if (last && pack.length > 1) sql.run(insert, last.version, '', '', 'p', JSON.stringify(pack))
    else if (last) sql.run(insert, last.version, last.table, last.key, last.op.charAt(0), last.old && JSON.stringify(last.old))
  }
}

export function countLog(sql: Sql, since: Version): number {
  const entries = "sum(case op when 'p' then json_array_length(old) else 1 end)"
  return sql.all<{ n: number | null }>(`select ${entries} n from z_log where v > ?`, since)[0]?.n ?? 0
}

/** Entries above `since`, oldest first: all, or those of the given number of rows of the table. */
export function readLog(sql: Sql, since: Version, maxRows = -1): readonly LogEntry[] {
  return sql
    .all<LogRow>('select v, tbl, pk, op, old from z_log where v > ? order by v limit ?', since, maxRows)
    .flatMap(entriesOf)
    .filter(({ version }) => version > since)
}

export function pruneLog(sql: Sql, floor: Version): void {
  sql.run('delete from z_log where v <= ?', floor)
}

function entriesOf({ v, tbl, pk, op, old }: LogRow): readonly LogEntry[] {
  // Both are written by `appendLog`.
  if (op === 'p') return JSON.parse(old ?? '[]') as LogEntry[]
  return [{ version: v, table: tbl, key: pk, op: opOf(op), old: old === null ? null : (JSON.parse(old) as StoredRow) }]
}

function opOf(letter: string): LogEntry['op'] {
  if (letter === 'i' || letter === 'u' || letter === 'd') return OPS[letter]
  throw new Error(`the change log holds an op ${letter}`)
}

/**
 * The net change of each row since a version, merged from its log entries: its old image, its row now, and whether only non-structural
 * columns differ (SPEC E1).
 */

/** Columns that may differ in a row that was only updated; null for any other change, and when they are not in memory. */
export type Written = readonly string[] | null

export type RowChange = {
  readonly table: Table
  readonly key: RowKey
  /** Structural columns and primary key at the old version; `null` when the row did not exist. */
  readonly old: StoredRow | null
  readonly row: StoredRow | null
  /** No structural column differs. */
  readonly isNonStructural: boolean
  readonly written: Written
}

export type RowNow = { readonly row: StoredRow | null; readonly written: Written }

/** `entries` oldest first. Entries of tables that the schema no longer has are skipped: no query can cover their rows. */
export function* mergeEntries(
  entries: readonly LogEntry[],
  tables: Tables,
  rowNow: (table: Table, key: RowKey) => RowNow,
): Generator<RowChange> {
  for (const [name, ofTable] of Map.groupBy(entries, (entry) => entry.table)) {
    const table = tables[name]
    if (table === undefined) continue
    for (const [key, ofRow] of Map.groupBy(ofTable, (entry) => entry.key)) {
      const change = mergeRow(table, key, ofRow, rowNow(table, key))
      if (change !== null) yield change
    }
  }
}

function mergeRow(table: Table, key: RowKey, entries: readonly LogEntry[], { row, written }: RowNow): RowChange | null {
  // Non-structural updates before the first image did not change its structural columns.
  const first = entries.find((entry) => entry.op !== 'update' || entry.old !== null)
  if (first === undefined) return { table, key, old: row, row, isNonStructural: true, written }
  const old = first.old === null ? null : { ...first.old, ...keyColumns(table, key) }
  if (old === null && row === null) return null
  return { table, key, old, row, isNonStructural: old !== null && row !== null && agrees(old, row), written }
}

function agrees(image: StoredRow, row: StoredRow): boolean {
  return Object.keys(image).every((column) => image[column] === (row[column] ?? null))
}

/** Chosen: as many rows as a page of an import. */
const MAX_RECENT_ENTRIES = 1000

/**
 * The log entries of the last step with their rows, in memory, so that the next sync reads neither the log nor the rows. A cache only:
 * missing entries are read. The written columns of an update are only here, so a client that was offline receives whole rows.
 */
export class RecentEntries {
  /** Every entry above this version is here. */
  #since: Version
  #entries: LogEntry[] = []
  readonly #rows = new Map<string, StoredRow | null>()
  readonly #written = new Map<string, Written>()
  #consumed = false

  constructor(version: Version) {
    this.#since = version
  }

  /** `before` is the version before the entry; `written` names the columns of an update. */
  append(before: Version, entry: LogEntry, row: StoredRow | null, written: readonly string[]): void {
    if (this.#consumed || this.#entries.length >= MAX_RECENT_ENTRIES) this.#restart(before)
    this.#entries.push(entry)
    const name = nameOf(entry.table, entry.key)
    this.#rows.set(name, row)
    const earlier = this.#written.get(name)
    const isUpdate = entry.op === 'update' && earlier !== null
    this.#written.set(name, isUpdate ? [...new Set([...(earlier ?? []), ...written])] : null)
  }

  /** Changes above `since`, or `null` when some are not here. Ends the step: the next entry starts a new one. */
  changesSince(since: Version, tables: Tables): readonly RowChange[] | null {
    this.#consumed = true
    if (since < this.#since) return null
    const entries = this.#entries.filter((entry) => entry.version > since)
    return [...mergeEntries(entries, tables, (table, key) => this.#rowNow(table.name, key))]
  }

  /** `written` contains every column that may differ from any version in the cache. */
  #rowNow(table: string, key: RowKey): RowNow {
    const name = nameOf(table, key)
    return { row: this.#rows.get(name) ?? null, written: this.#written.get(name) ?? null }
  }

  #restart(version: Version): void {
    this.#since = version
    this.#entries = []
    this.#rows.clear()
    this.#written.clear()
    this.#consumed = false
  }
}

function nameOf(table: string, key: RowKey): string {
  return `${table}\n${key}`
}

/**
 * The columns that the log stores: those that decide membership, correlation or window order in any query ever added (SPEC E4). A column is
 * registered before the version of its query is taken and stays registered, so an old image has every column that an older query needs.
 */
export class StructuralColumns {
  readonly #sql: Sql
  readonly #byTable = new Map<string, Set<string>>()

  constructor(sql: Sql) {
    this.#sql = sql
    for (const { tbl, col } of sql.all<{ tbl: string; col: string }>('select tbl, col from z_struct')) this.#columns(tbl).add(col)
  }

  register(plan: Plan): void {
    for (const [table, columns] of plan.structural) {
      const columnSet = this.#columns(table)
      for (const column of columns) {
        if (columnSet.has(column)) continue
        this.#sql.run('insert into z_struct (tbl, col) values (?, ?)', table, column)
        columnSet.add(column)
      }
    }
  }

  /** The image of a row before a change, or `null` when no written column is structural. */
  imageBefore(table: string, old: StoredRow, written: readonly string[] | 'all'): StoredRow | null {
    const columns = this.#columns(table)
    if (written !== 'all' && !written.some((column) => columns.has(column))) return null
    return Object.fromEntries([...columns].map((column) => [column, old[column] ?? null]))
  }

  #columns(table: string): Set<string> {
    const columns = this.#byTable.get(table) ?? new Set()
    this.#byTable.set(table, columns)
    return columns
  }
}

export function createStruct(sql: Sql): void {
  sql.run('create table if not exists z_struct (tbl text, col text, primary key (tbl, col)) without rowid')
}
