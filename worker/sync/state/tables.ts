/**
 * What the object remembers besides the engine's tables. All of it can be thrown away and rebuilt: the rows, the progress and
 * the results from D1, the rest from what clients say when they connect. `version` columns hold the engine's version of the change.
 */
import type { Sql } from '../engine/types.ts'

const tables = [
  // Named numbers and texts: watermarks, deadlines.
  'create table if not exists sync_meta (name text primary key, value) without rowid',
  // `clientSchema` is null until it is known (SPEC C2); `knownSince`: SPEC C4. The clock: SPEC Q3. `desiredAt`: the newest version in `sync_desire`.
  `create table if not exists sync_group (
    id text primary key, clientSchema text, seenAtMs real not null default 0, clockMs real not null default 0, connectedSinceMs real,
    knownSince integer not null default 0, desiredAt integer
  ) without rowid`,
  `create table if not exists sync_client (
    groupID text, clientID text, lastMutationID integer not null, version integer not null, primary key (groupID, clientID)
  ) without rowid`,
  // A desire that ended keeps its row, so that a client that was away still hears of it. `inactivatedAtMs` is on the group's clock.
  `create table if not exists sync_desire (
    groupID text, clientID text, hash text, ttlMs real not null, inactivatedAtMs real, version integer not null,
    primary key (groupID, clientID, hash)
  ) without rowid`,
  // `result` is null once acknowledged; the row stays so that a client that was away still hears of it.
  `create table if not exists sync_result (
    groupID text, clientID text, mutationID integer, result text, version integer not null, primary key (groupID, clientID, mutationID)
  ) without rowid`,
]

/** `isFromEarlier`: an earlier release was here last. */
export function createStateTables(sql: Sql, isFromEarlier: boolean): void {
  for (const statement of tables) sql.run(statement)
  // Objects that were made before groups had them.
  const known = sql.all<{ name: string }>("select name from pragma_table_info('sync_group')").map(({ name }) => name)
  if (!known.includes('knownSince')) sql.run('alter table sync_group add column knownSince integer not null default 0')
  if (!known.includes('desiredAt')) sql.run('alter table sync_group add column desiredAt integer')
  // It has not kept what it did not know of.
  else if (isFromEarlier) sql.run('update sync_group set desiredAt = null')
}
