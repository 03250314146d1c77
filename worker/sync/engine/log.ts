/**
 * The change log: one entry per changed row and version, with the structural columns as they were before (SPEC E4).
 * An entry without an old image is an insert, or a quiet update: no column that decides membership, linkage or a window's
 * order changed.
 */
import type { RowKey, StoredRow } from './codec.ts'
import type { Sql, SqlValue, Version } from './types.ts'

export type LogEntry = {
  readonly version: Version
  readonly table: string
  readonly key: RowKey
  readonly op: 'insert' | 'update' | 'delete'
  readonly old: StoredRow | null
}

type LogRow = { v: number; tbl: string; pk: string; op: string; old: string | null }

const OPS = { i: 'insert', u: 'update', d: 'delete' } as const

export function createLog(sql: Sql): void {
  sql.run('create table if not exists z_log (v integer primary key, tbl text, pk text, op text, old text)')
}

export function appendLog(sql: Sql, entry: LogEntry): void {
  const old = entry.old === null ? null : JSON.stringify(entry.old)
  sql.run('insert into z_log (v, tbl, pk, op, old) values (?, ?, ?, ?, ?)', entry.version, entry.table, entry.key, entry.op.charAt(0), old)
}

/** Entries above `since`, oldest first. */
export function readLog(sql: Sql, since: Version): readonly LogEntry[] {
  return sql.all<LogRow>('select v, tbl, pk, op, old from z_log where v > ? order by v', since).map((row) => ({
    version: row.v,
    table: row.tbl,
    key: row.pk,
    op: opOf(row.op),
    // Written by `appendLog`.
    old: row.old === null ? null : (JSON.parse(row.old) as Record<string, SqlValue>),
  }))
}

export function pruneLog(sql: Sql, floor: Version): void {
  sql.run('delete from z_log where v <= ?', floor)
}

function opOf(letter: string): LogEntry['op'] {
  if (letter === 'i' || letter === 'u' || letter === 'd') return OPS[letter]
  throw new Error(`the change log holds an op ${letter}`)
}
