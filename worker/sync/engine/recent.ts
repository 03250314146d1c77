/**
 * The last step's log entries with the rows they left, in memory: the sync that follows a change in the same event reads
 * neither the log nor the rows again. Only a shortcut: what is not remembered is read.
 */
import type { RowKey, StoredRow } from './codec.ts'
import type { LogEntry } from './log.ts'
import type { Version } from './types.ts'

/** Ours: more entries than this in one step are cheaper to read again than to hold. */
const MAX_RECENT_ENTRIES = 256

export class RecentEntries {
  /** Every entry above this version is remembered. */
  #since: Version
  #entries: LogEntry[] = []
  readonly #rows = new Map<string, StoredRow | null>()
  #consumed = false

  constructor(version: Version) {
    this.#since = version
  }

  /** `before` is the version before the entry. */
  append(before: Version, entry: LogEntry, row: StoredRow | null): void {
    if (this.#consumed || this.#entries.length >= MAX_RECENT_ENTRIES) this.#restart(before)
    this.#entries.push(entry)
    this.#rows.set(nameOf(entry.table, entry.key), row)
  }

  /** Entries above `since`, or `null` when some are not remembered. Ends the step: the next entry starts a new one. */
  entriesSince(since: Version): readonly LogEntry[] | null {
    this.#consumed = true
    return since < this.#since ? null : this.#entries.filter((entry) => entry.version > since)
  }

  row(table: string, key: RowKey): StoredRow | null {
    return this.#rows.get(nameOf(table, key)) ?? null
  }

  #restart(version: Version): void {
    this.#since = version
    this.#entries = []
    this.#rows.clear()
    this.#consumed = false
  }
}

function nameOf(table: string, key: RowKey): string {
  return `${table}\n${key}`
}
