/**
 * The log entries of the last step with their rows, in memory, so that the next sync reads neither the log nor the rows. A cache only:
 * missing entries are read. The written columns of an update are only here, so a client that was offline receives whole rows.
 */
import { mergeEntries, type RowChange, type RowNow, type Written } from './changes.ts'
import type { RowKey, StoredRow } from './codec.ts'
import type { LogEntry } from './log.ts'
import type { Tables, Version } from './types.ts'

/** Chosen: as many rows as a page of an import. */
const MAX_RECENT_ENTRIES = 1000

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
