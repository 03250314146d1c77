/**
 * What became of each row between a version and now, merged from its log entries: the structural image it had then, the row it
 * is now, and whether the difference is quiet (SPEC E1).
 */
import { keyColumns, type RowKey, type StoredRow } from './codec.ts'
import type { LogEntry } from './log.ts'
import type { Table, Tables } from './types.ts'

/** The columns that may differ in a row that was only updated; null for any other change, and when nobody remembers. */
export type Written = readonly string[] | null

export type RowChange = {
  readonly table: Table
  readonly key: RowKey
  /** Structural columns and primary key at the old version; `null` when the row did not exist. */
  readonly old: StoredRow | null
  readonly row: StoredRow | null
  /** No column that decides anything differs. */
  readonly quiet: boolean
  readonly written: Written
}

export type RowNow = { readonly row: StoredRow | null; readonly written: Written }

/** `entries` oldest first. Entries of tables the schema no longer has are left out: no query can hold their rows. */
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
  // Quiet updates before the first image left the structural columns as that image shows them.
  const first = entries.find((entry) => entry.op !== 'update' || entry.old !== null)
  if (first === undefined) return { table, key, old: row, row, quiet: true, written }
  const old = first.old === null ? null : { ...first.old, ...keyColumns(table, key) }
  if (old === null && row === null) return null
  return { table, key, old, row, quiet: old !== null && row !== null && agrees(old, row), written }
}

function agrees(image: StoredRow, row: StoredRow): boolean {
  return Object.keys(image).every((column) => image[column] === (row[column] ?? null))
}
