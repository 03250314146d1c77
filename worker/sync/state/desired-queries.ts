/** The desired queries of each client, and the time at which an undesired query expires. */
import type { Sql, Version } from '../engine/types.ts'
import type { QueryOp } from '../protocol/down.ts'
import { Newest } from './clients.ts'

/** The client's time to live, up to the maximum. Clients send `forever` as a negative number. */
export const clampTtlMs = (ttl: number | undefined, maxMs: number): number => (ttl !== undefined && ttl >= 0 ? Math.min(ttl, maxMs) : maxMs)

type StoredDesiredQuery = {
  readonly clientID: string
  readonly hash: string
  readonly ttlMs: number
  readonly inactivatedAtMs: number | null
}

export class DesiredQueries {
  readonly #sql: Sql
  readonly #newest: Newest
  /**
   * Upper bound of the number of ended desired queries; null before the first count. Cached, because the count reads every row and
   * `collectGarbage` needs it at every connect.
   */
  #endedAtMost: number | null = null

  constructor(sql: Sql) {
    this.#sql = sql
    this.#newest = new Newest(sql, 'sync_desire')
  }

  put(groupID: string, clientID: string, hash: string, ttlMs: number, version: Version): void {
    this.#newest.written(groupID, version)
    this.#sql.run(
      `insert into sync_desire (groupID, clientID, hash, ttlMs, inactivatedAtMs, version) values (?, ?, ?, ?, null, ?)
       on conflict (groupID, clientID, hash) do update set ttlMs = excluded.ttlMs, inactivatedAtMs = null, version = excluded.version`,
      groupID,
      clientID,
      hash,
      ttlMs,
      version,
    )
  }

  /** Does nothing for an unknown query, because the client never received it. */
  inactivate(groupID: string, clientID: string, hash: string, clockMs: number, version: Version): void {
    this.#newest.written(groupID, version)
    if (this.#endedAtMost !== null) this.#endedAtMost += 1
    this.#sql.run(
      `update sync_desire set inactivatedAtMs = coalesce(inactivatedAtMs, ?), version = ?
       where groupID = ? and clientID = ? and hash = ?`,
      clockMs,
      version,
      groupID,
      clientID,
      hash,
    )
  }

  /** True if more than `count` desired queries of all groups have ended. */
  hasEndedMoreThan(count: number): boolean {
    if (this.#endedAtMost === null || this.#endedAtMost > count)
      this.#endedAtMost = this.#sql.all<{ n: number }>('select count(*) n from sync_desire where inactivatedAtMs is not null')[0]?.n ?? 0
    return this.#endedAtMost > count
  }

  /** The floor that keeps the `kept` newest ended desired queries; 0 if there are not more. */
  endedBefore(kept: number): Version {
    const [row] = this.#sql.all<{ version: Version }>(
      'select version from sync_desire where inactivatedAtMs is not null order by version desc limit 1 offset ?',
      kept,
    )
    return row?.version ?? 0
  }

  activeHashes(groupID: string, clientID: string): readonly string[] {
    const rows = this.#sql.all<{ hash: string }>(
      'select hash from sync_desire where groupID = ? and clientID = ? and inactivatedAtMs is null',
      groupID,
      clientID,
    )
    return rows.map(({ hash }) => hash)
  }

  /** Desired queries of the client that ended since a version. */
  endedSince(groupID: string, clientID: string, since: Version): readonly { readonly hash: string; readonly ttlMs: number }[] {
    if (!this.#newest.isAbove(groupID, since)) return []
    return this.#sql.all<{ hash: string; ttlMs: number }>(
      'select hash, ttlMs from sync_desire where groupID = ? and clientID = ? and inactivatedAtMs is not null and version > ?',
      groupID,
      clientID,
      since,
    )
  }

  /** Clients of the group that desire this query. */
  clientsOf(groupID: string, hash: string): readonly string[] {
    const rows = this.#sql.all<{ clientID: string }>(
      'select clientID from sync_desire where groupID = ? and hash = ? and inactivatedAtMs is null',
      groupID,
      hash,
    )
    return rows.map(({ clientID }) => clientID)
  }

  /** Clients of the group with desired queries. */
  activeClients(groupID: string): readonly string[] {
    const rows = this.#sql.all<{ clientID: string }>(
      'select distinct clientID from sync_desire where groupID = ? and inactivatedAtMs is null',
      groupID,
    )
    return rows.map(({ clientID }) => clientID)
  }

  /** When the last time to live of each hash ends, on the group's clock; null while it is desired. A hash without a row is absent. */
  expiries(groupID: string): ReadonlyMap<string, number | null> {
    const rows = this.#sql.all<{ hash: string; active: number; expiresAtMs: number | null }>(
      `select hash, sum(inactivatedAtMs is null) active, max(inactivatedAtMs + ttlMs) expiresAtMs
       from sync_desire where groupID = ? group by hash`,
      groupID,
    )
    return new Map(rows.map((row) => [row.hash, row.active > 0 ? null : row.expiresAtMs]))
  }

  /** The changes after `since`. Null: all active desired queries, for a client without rows. */
  changes(groupID: string, since: Version | null): { readonly [clientID: string]: readonly QueryOp[] } {
    if (!this.#newest.isAbove(groupID, since)) return {}
    const rows = this.#sql.all<StoredDesiredQuery>(
      'select clientID, hash, ttlMs, inactivatedAtMs from sync_desire where groupID = ? and version > ?',
      groupID,
      since ?? -1,
    )
    const relevant = since === null ? rows.filter((row) => row.inactivatedAtMs === null) : rows
    const byClient = Map.groupBy(relevant, (row) => row.clientID)
    return Object.fromEntries([...byClient].map(([clientID, rows]) => [clientID, rows.map(opOf)]))
  }

  /**
   * Deletes ended desired queries at or below the floor that keep no query live. Every client has received their end, or is below the floor
   * and will be cleared.
   */
  prune(floor: Version, groupID: string, live: ReadonlySet<string>, clockMs: number): void {
    this.#endedAtMost = null
    const ended = this.#sql.all<{ clientID: string; hash: string; expiresAtMs: number }>(
      `select clientID, hash, inactivatedAtMs + ttlMs expiresAtMs from sync_desire
       where groupID = ? and inactivatedAtMs is not null and version <= ?`,
      groupID,
      floor,
    )
    for (const { clientID, hash, expiresAtMs } of ended) {
      if (!live.has(hash) || expiresAtMs <= clockMs)
        this.#sql.run('delete from sync_desire where groupID = ? and clientID = ? and hash = ?', groupID, clientID, hash)
    }
  }

  removeGroup(groupID: string): void {
    this.#sql.run('delete from sync_desire where groupID = ?', groupID)
  }
}

const opOf = (stored: StoredDesiredQuery): QueryOp =>
  stored.inactivatedAtMs === null ? { op: 'put', hash: stored.hash, ttl: stored.ttlMs } : { op: 'del', hash: stored.hash }
