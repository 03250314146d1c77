/** Everything that one user's object stores in its SQLite. No sockets and no source here. All of it can be deleted and rebuilt. */
import type { AnyQueryRegistry } from '@rocicorp/zero'
import { createEngine } from '../engine/engine.ts'
import type { Indexes } from '../engine/replica.ts'
import type { Engine, Sql, SqlValue, Tables } from '../engine/types.ts'
import { Clients, Results } from './clients.ts'
import { DesiredQueries } from './desired-queries.ts'
import { Groups } from './groups.ts'
import { Meta } from './meta.ts'

export type StateConfig = {
  /** The tables of the Zero schema. Each has one text column as its primary key. */
  readonly tables: Tables
  readonly indexes: Indexes
  /** Named queries. Their context is `{ userId }`. */
  readonly queries: AnyQueryRegistry
  /** Upper bound of the time to live that a client may ask for. */
  readonly queryTtlMs: number
}

export type UserState = {
  readonly config: StateConfig
  /** Changes when a deploy changes the tables; the rows are then imported again. */
  readonly shape: string
  readonly sql: Sql
  readonly engine: Engine
  readonly meta: Meta
  readonly groups: Groups
  readonly clients: Clients
  readonly desiredQueries: DesiredQueries
  readonly results: Results
}

export function openUserState(sql: Sql, config: StateConfig): UserState {
  const { tables, indexes } = config
  const engine = createEngine(sql, tables, { indexes })
  sql.transaction(() => {
    engine.migrate()
    for (const statement of stateTables) sql.run(statement)
  })
  return {
    config,
    shape: JSON.stringify(Object.values(tables).map(({ name, columns, primaryKey }) => [name, columns, primaryKey])),
    sql,
    engine,
    meta: new Meta(sql),
    groups: new Groups(sql, tables),
    clients: new Clients(sql),
    desiredQueries: new DesiredQueries(sql),
    results: new Results(sql),
  }
}

/** `version` columns hold the engine's version of the change. */
const stateTables = [
  // Named values: watermark, alarms, the position of an import.
  'create table if not exists sync_meta (name text primary key, value) without rowid',
  // `clientSchema` is null until it is known (SPEC C2); `knownSince`: SPEC C4. The clock: SPEC Q3.
  `create table if not exists sync_group (
    id text primary key, clientSchema text, seenAtMs real not null default 0, clockMs real not null default 0, connectedSinceMs real,
    knownSince integer not null default 0
  ) without rowid`,
  `create table if not exists sync_client (
    groupID text, clientID text, lastMutationID integer not null, version integer not null, primary key (groupID, clientID)
  ) without rowid`,
  // The row of an ended query stays, so that a client that was offline receives the end. `inactivatedAtMs` is on the group's clock.
  `create table if not exists sync_desire (
    groupID text, clientID text, hash text, ttlMs real not null, inactivatedAtMs real, version integer not null,
    primary key (groupID, clientID, hash)
  ) without rowid`,
  // `result` is null once acknowledged; the row stays, so that a client that was offline receives the deletion.
  `create table if not exists sync_result (
    groupID text, clientID text, mutationID integer, result text, version integer not null, primary key (groupID, clientID, mutationID)
  ) without rowid`,
]

/**
 * The SQLite of a Durable Object. A connected user takes 1.3 MB of memory: 0.51 is the bare object, 0.21 the tables, 0.14 their indexes and
 * 0.03 the queries of clients. The rest is probably the statements that the platform keeps prepared (5 KB each).
 */
export function objectSql(storage: DurableObjectStorage): Sql {
  let depth = 0
  return {
    all: <T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) => storage.sql.exec<T>(text, ...binds).toArray(),
    each: <T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]) => storage.sql.exec<T>(text, ...binds),
    run(text, ...binds) {
      storage.sql.exec(text, ...binds)
    },
    /** Joins an outer transaction, so that a throw anywhere inside rolls back all of it. */
    transaction(run) {
      if (depth > 0) return run()
      depth += 1
      try {
        return storage.transactionSync(run)
      } finally {
        depth -= 1
      }
    },
  }
}
