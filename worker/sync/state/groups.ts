/**
 * Client groups and their clocks. A group's clock runs only while the group has a connection, so that a query's time to live does not pass
 * while no client could renew it.
 */
import type { Sql, Tables, Version } from '../engine/types.ts'
import type { ClientSchema } from '../protocol/up.ts'

export class Groups {
  readonly #sql: Sql
  readonly #tables: Tables
  /** Cached from SQL: every poke needs it, and a push to ten browsers would take 10 statements more. */
  readonly #knownSince = new Map<string, Version>()

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  has(groupID: string): boolean {
    return this.#sql.all('select 1 found from sync_group where id = ?', groupID).length > 0
  }

  ids(): readonly string[] {
    return this.#sql.all<{ id: string }>('select id from sync_group').map(({ id }) => id)
  }

  /**
   * Adds a new group, known from this version on. A stored schema stays until another one is sent. A group that starts over does not send
   * its schema again and gets the current one.
   */
  add(groupID: string, version: Version, nowMs: number, clientSchema?: ClientSchema): void {
    this.#knownSince.delete(groupID)
    const given = clientSchema ? JSON.stringify(clientSchema) : null
    const stored = given ?? JSON.stringify(this.clientSchema(groupID) ?? clientSchemaOf(this.#tables))
    this.#sql.run(
      `insert into sync_group (id, clientSchema, knownSince, seenAtMs) values (?, ?, ?, ?)
       on conflict (id) do update set clientSchema = excluded.clientSchema, seenAtMs = excluded.seenAtMs`,
      ...[groupID, stored, version, nowMs],
    )
  }

  /** Adds a group that has connected without init. Without a row its data would never be deleted. */
  addWithoutSchema(groupID: string, version: Version, nowMs: number): void {
    this.#sql.run('insert or ignore into sync_group (id, knownSince, seenAtMs) values (?, ?, ?)', groupID, version, nowMs)
  }

  /** Before this version the object has no desired queries of the group. */
  knownSince(groupID: string): Version {
    const cached = this.#knownSince.get(groupID)
    if (cached !== undefined) return cached
    const [group] = this.#sql.all<{ knownSince: Version }>('select knownSince from sync_group where id = ?', groupID)
    // Unknown groups are not cached: a client may name any.
    if (group) this.#knownSince.set(groupID, group.knownSince)
    return group?.knownSince ?? 0
  }

  /** Call after a transaction rolled back. */
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

  /** After a shutdown that closed sockets without an event. The time since then is not counted. */
  stopClocksExcept(connected: ReadonlySet<string>): void {
    const running = this.#sql.all<{ id: string }>('select id from sync_group where connectedSinceMs is not null')
    for (const { id } of running) if (!connected.has(id)) this.#sql.run('update sync_group set connectedSinceMs = null where id = ?', id)
  }

  /** Groups without a connection since then. */
  unseenSince(atMs: number): readonly string[] {
    const rows = this.#sql.all<{ id: string }>('select id from sync_group where connectedSinceMs is null and seenAtMs < ?', atMs)
    return rows.map(({ id }) => id)
  }

  remove(groupID: string): void {
    this.#knownSince.delete(groupID)
    this.#sql.run('delete from sync_group where id = ?', groupID)
  }
}

/** Compares the tables of a client with the server's. The server may have more; what the client has must be the same. */

/** The schema that a client of this deploy sends. */
const clientSchemaOf = (tables: Tables): ClientSchema => ({
  tables: Object.fromEntries(
    Object.entries(tables).map(([name, { columns, primaryKey }]) => [
      name,
      { columns: Object.fromEntries(Object.entries(columns).map(([column, { type }]) => [column, { type }])), primaryKey: [...primaryKey] },
    ]),
  ),
})

/** The first difference, in words; null when the client's tables fit. */
export function schemaMismatch(client: ClientSchema, tables: Tables): string | null {
  for (const [name, { columns, primaryKey }] of Object.entries(client.tables)) {
    const table = Object.hasOwn(tables, name) ? tables[name] : undefined
    if (!table) return `table ${name} is unknown`
    for (const [column, { type }] of Object.entries(columns)) {
      const known = Object.hasOwn(table.columns, column) ? table.columns[column] : undefined
      if (!known) return `column ${name}.${column} is unknown`
      if (known.type !== type) return `column ${name}.${column} is a ${known.type}, not a ${type}`
    }
    if (primaryKey && primaryKey.toSorted().join() !== table.primaryKey.toSorted().join())
      return `the primary key of ${name} is ${table.primaryKey.join()}`
  }
  return null
}
