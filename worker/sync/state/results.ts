/** Error results of mutations, stored until the client acknowledges them. */
import type { Sql, Version } from '../engine/types.ts'
import type { AppError, MutationOp } from '../protocol/down.ts'
import { Newest } from './newest.ts'

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
