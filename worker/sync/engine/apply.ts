/** Writes rows with or without a log, and reads back what changed. */
import { mergeEntries, type RowChange } from './changes.ts'
import { keyColumns, rowKeyFrom, type StoredRow, toKeyValues, toStoredRow } from './codec.ts'
import { appendLog, countLog, type LogEntry, pruneLog, readLog } from './log.ts'
import type { RecentEntries } from './recent.ts'
import type { Replica, TableRow } from './replica.ts'
import type { StructuralColumns } from './structural.ts'
import type { Change, Sql, SqlValue, Table, Tables, Version } from './types.ts'
import type { Versions } from './versions.ts'

export type EngineState = {
  readonly sql: Sql
  readonly tables: Tables
  readonly replica: Replica
  readonly versions: Versions
  readonly recent: RecentEntries
  readonly structural: StructuralColumns
}

/** Chosen: what one delta may hold in memory, of the 128 MB that the objects of an isolate share. */
const MAX_ENTRIES = 10_000
const MAX_CHARS = 8 * 1024 * 1024

/** Returns the changes that differed from the stored rows. Rows of `isAbsent` are not read, and are written together at the end. */
export function applyChanges(memory: EngineState, changes: readonly Change[], isAbsent?: (change: Change) => boolean): readonly Change[] {
  const entries: LogEntry[] = []
  const added: TableRow[] = []
  const real = changes.filter((change) => applyChange(memory, change, entries, isAbsent?.(change) ? added : null))
  memory.replica.putAll(added)
  appendLog(memory.sql, entries)
  return real
}

/** The rows are not logged, so no delta from an earlier version is possible. */
export function loadRows({ sql, replica, versions }: EngineState, rows: Iterable<Change>): void {
  let added: TableRow[] = []
  for (const change of rows) {
    const { table, key, row } = storedChange(replica, change)
    if (row !== null) added.push({ table, row })
    else {
      replica.putAll(added)
      added = []
      replica.remove(table, key)
    }
  }
  replica.putAll(added)
  versions.raiseFloor(versions.take())
  pruneLog(sql, versions.floor)
}

/** Null above the memory limit. The client then receives all rows, which are read row by row. */
export function changesSince({ sql, tables, replica, recent, versions }: EngineState, since: Version): readonly RowChange[] | null {
  const cached = recent.changesSince(since, tables)
  if (cached !== null) return cached
  if (versions.current - since > MAX_ENTRIES && countLog(sql, since) > MAX_ENTRIES) return null
  const read = (table: Table, key: string) => ({ row: replica.read(table, Object.values(keyColumns(table, key))), written: null })
  const changes: RowChange[] = []
  let chars = 0
  for (const change of mergeEntries(readLog(sql, since), tables, read)) {
    changes.push(change)
    chars += charsIn(change.row)
    if (chars > MAX_CHARS) return null
  }
  return changes
}

function charsIn(row: StoredRow | null): number {
  let chars = 0
  for (const value of Object.values(row ?? {})) if (typeof value === 'string') chars += value.length
  return chars
}

/** `added`: null if the row may be in the replica; otherwise it is not, and the new row is added to them. */
function applyChange(memory: EngineState, change: Change, entries: LogEntry[], added: TableRow[] | null): boolean {
  const { replica, versions, recent, structural } = memory
  const { table, key, row } = storedChange(replica, change)
  const before = added === null ? replica.read(table, key) : null
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
  if (row === null) replica.remove(table, key)
  else if (before !== null) replica.update(table, key, row, written)
  else if (added === null) replica.put(table, row)
  else added.push({ table, row })
  entries.push(entry)
  recent.append(since, entry, row, written)
  return true
}

/** The id determines the key, not the row. */
function storedChange(
  replica: Replica,
  { table: name, id, row }: Change,
): { table: Table; key: readonly SqlValue[]; row: StoredRow | null } {
  const table = replica.table(name)
  return { table, key: toKeyValues(table, id), row: row === null ? null : toStoredRow(table, { ...row, ...id }) }
}
