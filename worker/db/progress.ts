/** Persistent state of the sync protocol: the last mutation of each client, and unacknowledged error results. */

import { clientIdleMs, maxClientsPerGroup } from '../contract/limits.ts'

export type ClientRef = { readonly clientGroupID: string; readonly clientID: string; readonly userId: string }

/** Consecutive mutations of one client. */
export type MutationRange = { readonly firstID: number; readonly lastID: number }

/**
 * Advances a client exactly once: a trigger aborts the batch unless `firstID` follows the last mutation of the client. An unknown client
 * gets a row, without that check.
 */
export const advanceStatement = (
  db: D1Database,
  { clientGroupID, clientID, userId }: ClientRef,
  { firstID, lastID }: MutationRange,
  nowMs: number,
): D1PreparedStatement =>
  db
    .prepare(
      `insert into clientProgress (clientGroupID, clientID, userId, previousMutationID, lastMutationID, updatedAt) values (?, ?, ?, ?, ?, ?)
       on conflict (userId, clientGroupID, clientID) do update set
         previousMutationID = excluded.previousMutationID, lastMutationID = excluded.lastMutationID, updatedAt = excluded.updatedAt`,
    )
    .bind(clientGroupID, clientID, userId, firstID - 1, lastID, nowMs)

export type NewClients = Omit<ClientRef, 'clientID'> & {
  readonly added: number
  /** Clients that are connected, or whose mutations are in the batch. */
  readonly active: readonly string[]
}

/**
 * Frees entries for new clients in a group with `maxClientsPerGroup` clients. Deletes the clients that have been idle longest and returns
 * them. Keeps the clients in `active`, those that wrote within `clientIdleMs` and those with an unacknowledged error. Newer pages of the
 * group have already pushed the mutations of a removed client.
 */
export const removeIdleClientsStatement = (
  db: D1Database,
  { userId, clientGroupID, added, active }: NewClients,
  nowMs: number,
): D1PreparedStatement =>
  db
    .prepare(
      `delete from clientProgress where userId = ?1 and clientGroupID = ?2 and clientID in (
         select clientID from clientProgress idle
           where userId = ?1 and clientGroupID = ?2 and updatedAt < ?3
             and clientID not in (select value from json_each(?4))
             and not exists (select 1 from mutationResult where userId = ?1 and clientGroupID = ?2 and clientID = idle.clientID)
           order by updatedAt
           limit max(0, (select count(*) from clientProgress where userId = ?1 and clientGroupID = ?2) + ?5 - ?6)
       ) returning clientID`,
    )
    .bind(userId, clientGroupID, nowMs - clientIdleMs, JSON.stringify(active), added, maxClientsPerGroup)

export const resultStatement = (
  db: D1Database,
  client: ClientRef,
  mutationID: number,
  result: string,
  nowMs: number,
): D1PreparedStatement =>
  db
    .prepare(
      `insert or replace into mutationResult (clientGroupID, clientID, mutationID, userId, result, createdAt) values (?, ?, ?, ?, ?, ?)`,
    )
    .bind(client.clientGroupID, client.clientID, mutationID, client.userId, result, nowMs)

export const forgetResultsStatement = (db: D1Database, client: ClientRef, upToMutationID: number): D1PreparedStatement =>
  db
    .prepare('delete from mutationResult where clientGroupID = ? and clientID = ? and userId = ? and mutationID <= ?')
    .bind(client.clientGroupID, client.clientID, client.userId, upToMutationID)

/** Two statements; `readGroupProgress` takes their results in this order. A group is identified by user and group id. */
export const groupProgressStatements = (db: D1Database, userId: string, clientGroupID: string): D1PreparedStatement[] => [
  db.prepare('select clientID, lastMutationID from clientProgress where userId = ? and clientGroupID = ?').bind(userId, clientGroupID),
  db.prepare('select clientID, mutationID, result from mutationResult where userId = ? and clientGroupID = ?').bind(userId, clientGroupID),
]

export function readGroupProgress(progress: D1Result | undefined, results: D1Result | undefined) {
  const stored = (results?.results ?? []) as { clientID: string; mutationID: number; result: string }[]
  return {
    clients: (progress?.results ?? []) as { clientID: string; lastMutationID: number }[],
    // Written only by `resultStatement`.
    results: stored.map(({ clientID, mutationID, result }) => ({ clientID, mutationID, error: JSON.parse(result) })),
  }
}
