/**
 * Client groups and their clocks. A group's clock runs only while the group has a connection, so that a query's time to live
 * does not pass while nobody could have renewed it.
 */

import { ownClientSchema } from '../connect/client-schema.ts'
import type { Sql, Version } from '../engine/types.ts'
import type { ClientSchema } from '../protocol/init-connection.ts'

export class Groups {
  readonly #sql: Sql
  /** As SQL has it: every poke asks. */
  readonly #knownSince = new Map<string, Version>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  has(groupID: string): boolean {
    return this.#sql.all('select 1 found from sync_group where id = ?', groupID).length > 0
  }

  ids(): readonly string[] {
    return this.#sql.all<{ id: string }>('select id from sync_group').map(({ id }) => id)
  }

  /**
   * Adds the group when it is new, as known from this version on. A schema already stored stays until another is given. One that comes back
   * after this object had forgotten it does not say its own again: it is taken for one of today.
   */
  add(groupID: string, version: Version, nowMs: number, clientSchema?: ClientSchema): void {
    this.#knownSince.delete(groupID)
    const given = clientSchema ? JSON.stringify(clientSchema) : null
    const stored = given ?? JSON.stringify(this.clientSchema(groupID) ?? ownClientSchema)
    this.#sql.run(
      `insert into sync_group (id, clientSchema, knownSince, seenAtMs) values (?, ?, ?, ?)
       on conflict (id) do update set clientSchema = excluded.clientSchema, seenAtMs = excluded.seenAtMs`,
      ...[groupID, stored, version, nowMs],
    )
  }

  /** A group that has connected and not said yet what it wants: nothing of it may stand here without it, or nobody would forget it. */
  note(groupID: string, version: Version, nowMs: number): void {
    this.#sql.run('insert or ignore into sync_group (id, knownSince, seenAtMs) values (?, ?, ?)', groupID, version, nowMs)
  }

  /** What clients of the group desired at a version before this one is not known here. */
  knownSince(groupID: string): Version {
    const known = this.#knownSince.get(groupID)
    if (known !== undefined) return known
    const [group] = this.#sql.all<{ knownSince: Version }>('select knownSince from sync_group where id = ?', groupID)
    // Groups that are not there are not kept in mind: anybody may name any.
    if (group) this.#knownSince.set(groupID, group.knownSince)
    return group?.knownSince ?? 0
  }

  /** To be called when a transaction was undone: SQL holds the truth. */
  reset(): void {
    this.#knownSince.clear()
  }

  clientSchema(groupID: string): ClientSchema | null {
    const stored = this.#sql.all<{ clientSchema: string | null }>('select clientSchema from sync_group where id = ?', groupID)[0]
      ?.clientSchema
    // Written by `add` alone, from a parsed message.
    return stored == null ? null : (JSON.parse(stored) as ClientSchema)
  }

  clockMs(groupID: string, nowMs: number): number {
    const [group] = this.#sql.all<{ clockMs: number; connectedSinceMs: number | null }>(
      'select clockMs, connectedSinceMs from sync_group where id = ?',
      groupID,
    )
    if (!group) return 0
    return group.clockMs + (group.connectedSinceMs === null ? 0 : Math.max(0, nowMs - group.connectedSinceMs))
  }

  startClock(groupID: string, nowMs: number): void {
    this.#sql.run(
      'update sync_group set connectedSinceMs = coalesce(connectedSinceMs, ?), seenAtMs = ? where id = ?',
      ...[nowMs, nowMs, groupID],
    )
  }

  stopClock(groupID: string, nowMs: number): void {
    this.#sql.run(
      `update sync_group set clockMs = clockMs + max(0, ? - connectedSinceMs), connectedSinceMs = null, seenAtMs = ?
       where id = ? and connectedSinceMs is not null`,
      ...[nowMs, nowMs, groupID],
    )
  }

  /** After a shutdown that closed sockets without saying so: the time since then is nobody's and is not counted. */
  stopClocksExcept(connected: ReadonlySet<string>): void {
    const running = this.#sql.all<{ id: string }>('select id from sync_group where connectedSinceMs is not null')
    for (const { id } of running) if (!connected.has(id)) this.#sql.run('update sync_group set connectedSinceMs = null where id = ?', id)
  }

  /** Groups that have not been connected since. */
  unseenSince(atMs: number): readonly string[] {
    const rows = this.#sql.all<{ id: string }>('select id from sync_group where connectedSinceMs is null and seenAtMs < ?', atMs)
    return rows.map(({ id }) => id)
  }

  remove(groupID: string): void {
    this.#knownSince.delete(groupID)
    this.#sql.run('delete from sync_group where id = ?', groupID)
  }
}
