/**
 * The last step's log entries with the rows they left, in memory: the sync that follows a change in the same event reads
 * neither the log nor the rows again. Only a shortcut: what is not remembered is read. Which columns an update wrote is remembered here
 * and nowhere else: a client that was away is told whole rows.
 */
import type { RowNow, Written } from './changes.ts'
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

  /** Entries above `since`, or `null` when some are not remembered. Ends the step: the next entry starts a new one. */
  entriesSince(since: Version): readonly LogEntry[] | null {
    this.#consumed = true
    return since < this.#since ? null : this.#entries.filter((entry) => entry.version > since)
  }

  /** Its columns written are at least those that differ from any version whose entries are remembered. */
  rowNow(table: string, key: RowKey): RowNow {
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
