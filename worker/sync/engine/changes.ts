/**
 * The net change of each row since a version, merged from its log entries: its old image, its row now, and whether only non-structural
 * columns differ (SPEC E1).
 */
import { keyColumns, type RowKey, type StoredRow } from './codec.ts'
import type { LogEntry } from './log.ts'
import type { Table, Tables } from './types.ts'

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
