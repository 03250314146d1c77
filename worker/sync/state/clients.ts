/**
 * The id of the last applied mutation of each client. It never decreases. Rows outlive their client, because another page of its group may
 * still push its mutations. A group with too many clients loses idle ones (worker/db/progress.ts).
 */
import type { Sql, Version } from '../engine/types.ts'
import { Newest, newestIn } from './newest.ts'

/** Chosen: above the number of any user's browsers; a push may name any number. */
const maxKnown = 1000

export class Clients {
  readonly #sql: Sql
  readonly #newest: Newest
  /** Cached from SQL by `${groupID} ${clientID}`: a push reads an id several times, and a read costs as much as a poke. */
  readonly #known = new Map<string, number>()

  constructor(sql: Sql) {
    this.#sql = sql
    this.#newest = new Newest(newestIn(sql, 'sync_client'))
  }

  lastMutationID(groupID: string, clientID: string): number {
    const name = `${groupID} ${clientID}`
    const known = this.#known.get(name) ?? this.#read(groupID, clientID)
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.set(name, known)
    return known
  }

  /** Call after a transaction rolled back. */
  reset(): void {
    this.#known.clear()
  }

  #read(groupID: string, clientID: string): number {
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
    const name = `${groupID} ${clientID}`
    const known = this.#known.get(name)
    if (known !== undefined) this.#known.set(name, Math.max(known, lastMutationID))
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
    for (const clientID of clientIDs) {
      this.#known.delete(`${groupID} ${clientID}`)
      this.#sql.run('delete from sync_client where groupID = ? and clientID = ?', groupID, clientID)
    }
  }

  removeGroup(groupID: string): void {
    this.#known.clear()
    this.#sql.run('delete from sync_client where groupID = ?', groupID)
  }
}
