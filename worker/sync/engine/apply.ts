/** Writing rows with a log, writing rows without one, and reading back what changed. */
import { mergeEntries, type RowChange } from './changes.ts'
import { keyColumns, rowKeyFrom, type StoredRow, toKeyValues, toStoredRow } from './codec.ts'
import { appendLog, type LogEntry, pruneLog, readLog } from './log.ts'
import type { RecentEntries } from './recent.ts'
import type { Replica } from './replica.ts'
import type { StructuralColumns } from './structural.ts'
import type { Change, Sql, SqlValue, Table, Tables, Version } from './types.ts'
import type { Versions } from './versions.ts'

export type Memory = {
  readonly sql: Sql
  readonly tables: Tables
  readonly replica: Replica
  readonly versions: Versions
  readonly recent: RecentEntries
  readonly structural: StructuralColumns
}

/** Returns the changes that were real. */
export function applyChanges(memory: Memory, changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => applyChange(memory, change))
}

/** Rows go in unlogged, so no version before this one can be answered by difference any more. */
export function loadRows({ sql, replica, versions }: Memory, rows: Iterable<Change>): void {
  for (const change of rows) {
    const { table, key, row } = storedChange(replica, change)
    if (row === null) replica.remove(table, key)
    else replica.put(table, row)
  }
  versions.raiseFloor(versions.take())
  pruneLog(sql, versions.floor)
}

export function changesSince({ sql, tables, replica, recent }: Memory, since: Version): readonly RowChange[] {
  const remembered = recent.entriesSince(since)
  if (remembered !== null) return mergeEntries(remembered, tables, (table, key) => recent.row(table.name, key))
  const read = (table: Table, key: string) => replica.read(table, Object.values(keyColumns(table, key)))
  return mergeEntries(readLog(sql, since), tables, read)
}

function applyChange(memory: Memory, change: Change): boolean {
  const { sql, replica, versions, recent, structural } = memory
  const { table, key, row } = storedChange(replica, change)
  const before = replica.read(table, key)
  const written = before === null || row === null ? [] : Object.keys(row).filter((column) => before[column] !== row[column])
  if (before === row || (before !== null && row !== null && written.length === 0)) return false
  const since = versions.current
  const entry: LogEntry = {
    version: versions.take(),
    table: table.name,
    key: rowKeyFrom(key),
    op: before === null ? 'insert' : row === null ? 'delete' : 'update',
    old: before === null ? null : structural.imageBefore(table.name, before, row === null ? 'all' : written),
  }
  write(replica, table, key, before, row, written)
  appendLog(sql, entry)
  recent.append(since, entry, row)
  return true
}

function write(
  replica: Replica,
  table: Table,
  key: readonly SqlValue[],
  before: StoredRow | null,
  row: StoredRow | null,
  written: readonly string[],
): void {
  if (row === null) replica.remove(table, key)
  else if (before === null) replica.put(table, row)
  else replica.update(table, key, row, written)
}

/** The id decides the key, whatever the row says. */
function storedChange(
  replica: Replica,
  { table: name, id, row }: Change,
): { table: Table; key: readonly SqlValue[]; row: StoredRow | null } {
  const table = replica.table(name)
  return { table, key: toKeyValues(table, id), row: row === null ? null : toStoredRow(table, { ...row, ...id }) }
}
