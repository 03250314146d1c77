/**
 * The id of the last applied mutation of each client. It never decreases. Rows outlive their client, because another page of its group may
 * still push its mutations. A group with too many clients loses idle ones (worker/db/progress.ts).
 */
import type { Sql, Version } from '../engine/types.ts'
import { Newest } from './newest.ts'

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
