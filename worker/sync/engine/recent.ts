/**
 * The last step's log entries with the rows they left, in memory: the sync that follows a change in the same event reads
 * neither the log nor the rows again. Only a shortcut: what is not remembered is read. Which columns an update wrote is remembered here
 * and nowhere else: a client that was away is told whole rows.
 */
import { mergeEntries, type RowChange, type RowNow, type Written } from './changes.ts'
import type { RowKey, StoredRow } from './codec.ts'
import type { LogEntry } from './log.ts'
import type { Tables, Version } from './types.ts'

/** Ours: more entries than this in one step are cheaper to read again than to hold. */
const MAX_RECENT_ENTRIES = 256

export class RecentEntries {
  /** Every entry above this version is remembered. */
  #since: Version
  #entries: LogEntry[] = []
  readonly #rows = new Map<string, StoredRow | null>()
  readonly #written = new Map<string, Written>()
  #consumed = false
  /** Groups stand at the same version more often than not. */
  #merged: { readonly since: Version; readonly changes: readonly RowChange[] } | null = null

  constructor(version: Version) {
    this.#since = version
  }

  /** `before` is the version before the entry; `written` names the columns of an update. */
  append(before: Version, entry: LogEntry, row: StoredRow | null, written: readonly string[]): void {
    if (this.#consumed || this.#entries.length >= MAX_RECENT_ENTRIES) this.#restart(before)
    this.#merged = null
    this.#entries.push(entry)
    const name = nameOf(entry.table, entry.key)
    this.#rows.set(name, row)
    const earlier = this.#written.get(name)
    const isUpdate = entry.op === 'update' && earlier !== null
    this.#written.set(name, isUpdate ? [...new Set([...(earlier ?? []), ...written])] : null)
  }

  /** What changed above `since`, or `null` when some of it is not remembered. Ends the step: the next entry starts a new one. */
  changesSince(since: Version, tables: Tables): readonly RowChange[] | null {
    this.#consumed = true
    if (since < this.#since) return null
    if (this.#merged?.since !== since) {
      const entries = this.#entries.filter((entry) => entry.version > since)
      this.#merged = { since, changes: [...mergeEntries(entries, tables, (table, key) => this.#rowNow(table.name, key))] }
    }
    return this.#merged.changes
  }

  /** Its columns written are at least those that differ from any version whose entries are remembered. */
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
