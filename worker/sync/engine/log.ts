/**
 * The change log: one entry per changed row and version, with the structural columns before the change (SPEC E4). An entry without an old
 * image is an insert or a non-structural update. The changes of one step are one row of the table, because an object is billed per written
 * row.
 */
import type { RowKey, StoredRow } from './codec.ts'
import type { Sql, Version } from './types.ts'

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
