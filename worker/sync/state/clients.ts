/**
 * The id of the last applied mutation of each client. It never decreases. Rows outlive their client, because another page of its group may
 * still push its mutations. A group with too many clients loses idle ones (worker/db/progress.ts).
 */
import type { Sql, Version } from '../engine/types.ts'
import type { AppError, MutationOp } from '../protocol/down.ts'

export class Clients {
  readonly #sql: Sql
  readonly #newest: Newest

  constructor(sql: Sql) {
    this.#sql = sql
    this.#newest = new Newest(sql, 'sync_client')
  }

  lastMutationID(groupID: string, clientID: string): number {
    const rows = this.#sql.all<{ lastMutationID: number }>(
      'select lastMutationID from sync_client where groupID = ? and clientID = ?',
      groupID,
      clientID,
    )
    return rows[0]?.lastMutationID ?? 0
  }

  /** A smaller number is ignored. */
  advance(groupID: string, clientID: string, lastMutationID: number, version: Version): void {
    this.#newest.written(groupID, version)
    this.#sql.run(
      `insert into sync_client (groupID, clientID, lastMutationID, version) values (?, ?, ?, ?)
       on conflict (groupID, clientID) do update set lastMutationID = excluded.lastMutationID, version = excluded.version
       where excluded.lastMutationID > lastMutationID`,
      groupID,
      clientID,
      lastMutationID,
      version,
    )
  }

  /** `since` null: every client of the group. */
  changes(groupID: string, since: Version | null): { readonly [clientID: string]: number } {
    if (!this.#newest.isAbove(groupID, since)) return {}
    const rows = this.#sql.all<{ clientID: string; lastMutationID: number }>(
      'select clientID, lastMutationID from sync_client where groupID = ? and version > ?',
      groupID,
      since ?? -1,
    )
    return Object.fromEntries(rows.map((row) => [row.clientID, row.lastMutationID]))
  }

  count(groupID: string): number {
    return this.#sql.all<{ n: number }>('select count(*) n from sync_client where groupID = ?', groupID)[0]?.n ?? 0
  }

  remove(groupID: string, clientIDs: readonly string[]): void {
    for (const clientID of clientIDs) this.#sql.run('delete from sync_client where groupID = ? and clientID = ?', groupID, clientID)
  }

  removeGroup(groupID: string): void {
    this.#sql.run('delete from sync_client where groupID = ?', groupID)
  }
}

/**
 * Per group, an upper bound of the newest version in one table. A connection at or above it needs no read: without this, a push to ten
 * browsers takes 37 statements in place of 8. After a rollback the bound may be too large, which costs one read.
 */
export class Newest {
  readonly #sql: Sql
  readonly #table: string
  readonly #versions = new Map<string, Version>()

  constructor(sql: Sql, table: string) {
    this.#sql = sql
    this.#table = table
  }

  written(groupID: string, version: Version): void {
    this.#versions.set(groupID, Math.max(this.#newest(groupID), version))
  }

  isAbove(groupID: string, since: Version | null): boolean {
    return since === null || this.#newest(groupID) > since
  }

  #newest(groupID: string): Version {
    const cached = this.#versions.get(groupID)
    if (cached !== undefined) return cached
    // Reads all rows of the group, which are few in these tables.
    const [row] = this.#sql.all<{ version: Version | null }>(`select max(version) version from ${this.#table} where groupID = ?`, groupID)
    const version = row?.version ?? 0
    this.#versions.set(groupID, version)
    return version
  }
}

/** Error results of mutations, stored until the client acknowledges them. */
type StoredResult = { readonly clientID: string; readonly mutationID: number; readonly result: string | null }

export class Results {
  readonly #sql: Sql
  readonly #newest: Newest

  constructor(sql: Sql) {
    this.#sql = sql
    this.#newest = new Newest(sql, 'sync_result')
  }

  put(groupID: string, clientID: string, mutationID: number, result: AppError, version: Version): void {
    this.#newest.written(groupID, version)
    this.#sql.run(
      'insert or ignore into sync_result (groupID, clientID, mutationID, result, version) values (?, ?, ?, ?, ?)',
      groupID,
      clientID,
      mutationID,
      JSON.stringify(result),
      version,
    )
  }

  /** The number of unacknowledged results up to `mutationID`. */
  unacknowledged(groupID: string, clientID: string, mutationID: number): number {
    const [row] = this.#sql.all<{ n: number }>(
      'select count(*) n from sync_result where groupID = ? and clientID = ? and mutationID <= ? and result is not null',
      groupID,
      clientID,
      mutationID,
    )
    return row?.n ?? 0
  }

  acknowledge(groupID: string, clientID: string, mutationID: number, version: Version): void {
    this.#newest.written(groupID, version)
    this.#sql.run(
      `update sync_result set result = null, version = ?
       where groupID = ? and clientID = ? and mutationID <= ? and result is not null`,
      version,
      groupID,
      clientID,
      mutationID,
    )
  }

  /** Clients of the group with unacknowledged results. */
  waitingClients(groupID: string): readonly string[] {
    const rows = this.#sql.all<{ clientID: string }>(
      'select distinct clientID from sync_result where groupID = ? and result is not null',
      groupID,
    )
    return rows.map(({ clientID }) => clientID)
  }

  /** `since` null: everything, for a client that holds nothing. */
  changes(groupID: string, since: Version | null): readonly MutationOp[] {
    if (!this.#newest.isAbove(groupID, since)) return []
    const rows = this.#sql.all<StoredResult>(
      `select clientID, mutationID, result from sync_result where groupID = ? and version > ? order by clientID, mutationID`,
      groupID,
      since ?? -1,
    )
    return rows.flatMap(({ clientID, mutationID, result }): MutationOp[] => {
      const id = { clientID, id: mutationID }
      // Written by `put` alone.
      if (result !== null) return [{ op: 'put', mutation: { id, result: JSON.parse(result) as AppError } }]
      return since === null ? [] : [{ op: 'del', id }]
    })
  }

  /** Acknowledgements that every client has received or will be cleared for. */
  prune(floor: Version): void {
    this.#sql.run('delete from sync_result where result is null and version <= ?', floor)
  }

  removeGroup(groupID: string): void {
    this.#sql.run('delete from sync_result where groupID = ?', groupID)
  }
}
