/**
 * Maps desired queries to queries of the engine. A query is live while a client of its group desires it, and until its time to live has
 * passed on the group's clock. Call everything here inside a storage transaction.
 */

import { getQuery, InputValidationError, isQuery } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { type GroupQuery, type Json, UnsupportedQueryError, type Version } from '../engine/types.ts'
import type { QueryError } from '../protocol/down.ts'
import type { DesiredQueriesPatch, PutDesiredQuery } from '../protocol/up.ts'
import { maxQueriesPerGroup, maxQueryArgsChars } from '../protocol/wire-limits.ts'
import { clampTtlMs } from './desired-queries.ts'
import type { UserState } from './user-state.ts'

export type ClientContext = { readonly userId: string; readonly groupID: string; readonly clientID: string; readonly nowMs: number }

/** Returns the refused queries. Nothing of them is stored, so the client asks again when it reconnects. */
export function patchDesiredQueries(state: UserState, client: ClientContext, patch: DesiredQueriesPatch): readonly QueryError[] {
  if (patch.length === 0) return []
  const { groupID, clientID, nowMs } = client
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const errors: QueryError[] = []
  const version = oneVersion(state)
  for (const op of patch) {
    if (op.op === 'put') {
      const error = addQuery(state, client, op)
      if (error) errors.push(error)
      else state.desiredQueries.put(groupID, clientID, op.hash, clampTtlMs(op.ttl, state.config.queryTtlMs), version())
    } else {
      const hashes = op.op === 'del' ? [op.hash] : state.desiredQueries.activeHashes(groupID, clientID)
      inactivate(state, groupID, clientID, hashes, clockMs, version)
    }
  }
  expireQueries(state, groupID, nowMs)
  return errors
}

/** The queries that a client desires now. */
export function activeQueries(
  { desiredQueries, engine }: UserState,
  { groupID, clientID }: Omit<ClientContext, 'userId' | 'nowMs'>,
): readonly GroupQuery[] {
  const active = new Set(desiredQueries.activeHashes(groupID, clientID))
  return engine.queries(groupID).filter(({ hash }) => active.has(hash))
}

/** Clients of the group with desired queries or unacknowledged results. */
export const clientsHere = ({ desiredQueries, results }: UserState, groupID: string): readonly string[] => [
  ...new Set([...desiredQueries.activeClients(groupID), ...results.waitingClients(groupID)]),
]

/** Ends the desired queries and results of deleted clients. A list may name thousands of unknown clients: they cost no statement. */
export function inactivateClients(state: UserState, groupID: string, clientIDs: readonly string[], nowMs: number): void {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const version = oneVersion(state)
  const deleted = new Set(clientIDs)
  for (const clientID of deleted.size === 0 ? [] : clientsHere(state, groupID).filter((here) => deleted.has(here))) {
    inactivate(state, groupID, clientID, state.desiredQueries.activeHashes(groupID, clientID), clockMs, version)
    if (state.results.unacknowledged(groupID, clientID, Number.MAX_SAFE_INTEGER) > 0)
      state.results.acknowledge(groupID, clientID, Number.MAX_SAFE_INTEGER, state.engine.nextVersion())
  }
  expireQueries(state, groupID, nowMs)
}

/** Removes queries whose time to live has passed. */
export function expireQueries(state: UserState, groupID: string, nowMs: number): void {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  for (const [hash, expiresAtMs] of expiries(state, groupID)) {
    if (expiresAtMs !== null && expiresAtMs <= clockMs) state.engine.removeQuery(groupID, hash)
  }
}

/** When the next query of the group expires if the group stays connected, in epoch ms; null when none will. */
export function nextExpiryMs(state: UserState, groupID: string, nowMs: number): number | null {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const ends = expiries(state, groupID).flatMap(([, expiresAtMs]) =>
    expiresAtMs === null ? [] : [nowMs + Math.max(0, expiresAtMs - clockMs)],
  )
  return ends.length === 0 ? null : Math.min(...ends)
}

/**
 * After a deploy a name may have another AST, or none. The engine then moves clients from the old rows to the new ones. If the name no
 * longer resolves, it ends for all clients, so that clients ask again and receive the error.
 */
export function refreshQueries(state: UserState, groupID: string, userId: string, nowMs: number): void {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const version = oneVersion(state)
  for (const stored of state.engine.queries(groupID)) {
    const resolved = resolveQuery(state, stored, userId)
    if ('query' in resolved && JSON.stringify(resolved.query.ast) === JSON.stringify(stored.ast)) continue
    state.engine.removeQuery(groupID, stored.hash)
    if ('query' in resolved && tryAdd(state, groupID, resolved.query) === null) continue
    for (const clientID of state.desiredQueries.clientsOf(groupID, stored.hash))
      inactivate(state, groupID, clientID, [stored.hash], clockMs, version)
  }
}

/**
 * Desired queries that ended while the client was offline: by a deploy, because the client was listed as deleted, or by its own earlier
 * change. Its init is a difference and does not repeat them.
 */
export function unsentDesiredQueries(
  state: UserState,
  { groupID, clientID }: ClientContext,
  since: Version,
  patch: DesiredQueriesPatch,
): DesiredQueriesPatch {
  if (patch.some(({ op }) => op === 'clear')) return []
  const sent = new Set(patch.map((op) => ('hash' in op ? op.hash : '')))
  const ended = state.desiredQueries.endedSince(groupID, clientID, since).filter(({ hash }) => !sent.has(hash))
  if (ended.length === 0) return []
  const had = state.engine.queriesAt(groupID, since)
  return ended.flatMap(({ hash, ttlMs }): DesiredQueriesPatch => {
    const query = had.get(hash)
    return query ? [{ op: 'put', hash, ttl: ttlMs, name: query.name, args: [...query.args] }] : []
  })
}

function addQuery(state: UserState, { userId, groupID }: ClientContext, op: PutDesiredQuery): QueryError | null {
  const resolved = resolveQuery(state, op, userId)
  return 'error' in resolved ? resolved.error : tryAdd(state, groupID, resolved.query)
}

type Resolved = Parameters<UserState['engine']['addQuery']>[1]

function tryAdd(state: UserState, groupID: string, query: Resolved): QueryError | null {
  const alive = state.engine.queries(groupID)
  const refused = (message: string): QueryError => ({ error: 'app', id: query.hash, name: query.name, message })
  if (alive.length >= maxQueriesPerGroup && !alive.some(({ hash }) => hash === query.hash)) {
    const replaced = firstToExpire(state, groupID)
    if (replaced === null) return refused('too many queries')
    state.engine.removeQuery(groupID, replaced)
  }
  try {
    state.engine.addQuery(groupID, query)
    return null
  } catch (error) {
    if (error instanceof UnsupportedQueryError) return refused(error.message)
    throw error
  }
}

function inactivate(
  { desiredQueries }: UserState,
  groupID: string,
  clientID: string,
  hashes: readonly string[],
  clockMs: number,
  version: () => Version,
): void {
  for (const hash of hashes) desiredQueries.inactivate(groupID, clientID, hash, clockMs, version())
}

/** One version for all changes of a message, taken when first needed, unless the message has taken one already. */
function oneVersion({ engine }: UserState): () => Version {
  const before = engine.version
  let taken: Version | null = null
  return () => {
    taken ??= engine.version > before ? engine.version : engine.nextVersion()
    return taken
  }
}

/** The live queries and when each expires on the group's clock. A query that no client ever desired has expired. */
function expiries(state: UserState, groupID: string): readonly (readonly [hash: string, expiresAtMs: number | null])[] {
  const expiryByHash = state.desiredQueries.expiries(groupID)
  return state.engine.queries(groupID).map(({ hash }) => [hash, expiryByHash.has(hash) ? (expiryByHash.get(hash) ?? null) : 0])
}

/** The query that no client desires any more and whose time to live ends first. */
function firstToExpire(state: UserState, groupID: string): string | null {
  let first: { readonly hash: string; readonly expiresAtMs: number } | null = null
  for (const [hash, expiresAtMs] of expiries(state, groupID))
    if (expiresAtMs !== null && (first === null || expiresAtMs < first.expiresAtMs)) first = { hash, expiresAtMs }
  return first?.hash ?? null
}

type Named = { readonly hash: string; readonly name?: string | undefined; readonly args?: readonly Json[] | undefined }
type ResolvedQuery = { readonly query: GroupQuery } | { readonly error: QueryError }

/** Resolves a name and arguments of a client to a query of this user. Only such queries are evaluated. */
export function resolveQuery({ config }: Pick<UserState, 'config'>, { hash, name, args = [] }: Named, userId: string): ResolvedQuery {
  if (name === undefined) return refused('app', hash, '', 'only named queries are answered')
  // Zero's parameter is generic in the definitions of one registry.
  const query: unknown = getQuery(config.queries as Parameters<typeof getQuery>[0], name)
  // A path may also lead to a group of queries or to an inherited property.
  if (!isQuery(query) || query.queryName !== name) return refused('app', hash, name, 'unknown query')
  try {
    // Arguments are stored with the query, also for queries that take none.
    if (JSON.stringify(args).length > maxQueryArgsChars) return refused('parse', hash, name, 'the arguments are too long')
    const { ast } = asQueryInternals(query.fn({ args: args[0], ctx: { userId } }))
    return { query: { hash, name, args, ast } }
  } catch (error) {
    const isInvalid = error instanceof InputValidationError
    return refused(isInvalid ? 'parse' : 'app', hash, name, error instanceof Error ? error.message : 'the query failed')
  }
}

const refused = (error: QueryError['error'], id: string, name: string, message: string): ResolvedQuery => ({
  error: { error, id, name, message },
})
