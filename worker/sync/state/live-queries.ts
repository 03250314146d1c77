/**
 * Maps desired queries to queries of the engine. A query is live while a client of its group desires it, and then until its time to live
 * has passed on the group's clock (SPEC Q3). Call everything here inside a storage transaction.
 */

import { getQuery, InputValidationError, isQuery } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { type GroupQuery, type Json, UnsupportedQueryError, type Version } from '../engine/types.ts'
import type { QueryError } from '../protocol/down.ts'
import type { DesiredQueriesPatch, PutDesiredQuery } from '../protocol/up.ts'
import { maxQueriesPerGroup, maxQueryArgsChars } from '../protocol/wire-limits.ts'
import { clampTtlMs } from './desired-queries.ts'
import type { UserState } from './user-state.ts'

type ClientContext = { readonly userId: string; readonly groupID: string; readonly clientID: string; readonly nowMs: number }

/** Returns the refused queries. They are not stored, so the client's next init requests them again. */
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
export const clientsWithState = ({ desiredQueries, results }: UserState, groupID: string): readonly string[] => [
  ...new Set([...desiredQueries.activeClients(groupID), ...results.waitingClients(groupID)]),
]

/** Ends the desired queries and results of deleted clients. `clientIDs` may contain thousands of unknown ids, which cause no statements. */
export function inactivateClients(state: UserState, groupID: string, clientIDs: readonly string[], nowMs: number): void {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const version = oneVersion(state)
  const deleted = new Set(clientIDs)
  const affected = deleted.size === 0 ? [] : clientsWithState(state, groupID).filter((clientID) => deleted.has(clientID))
  for (const clientID of affected) {
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
 * After a deploy a name may resolve to another AST, or to none. A query with another AST is replaced, and the engine sends the difference of
 * the rows. A query without one ends for all clients; they request it again and receive the error (SPEC Q4).
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
 * Desired queries that the server ended while the client was offline: after a deploy, because the client was listed as deleted, or by a `del`
 * whose acknowledgement the client missed. The init is a difference and does not repeat them, so they are put again.
 */
export function endedWhileOffline(
  state: UserState,
  { groupID, clientID }: ClientContext,
  since: Version,
  patch: DesiredQueriesPatch,
): DesiredQueriesPatch {
  if (patch.some(({ op }) => op === 'clear')) return []
  const sent = new Set(patch.map((op) => ('hash' in op ? op.hash : '')))
  const ended = state.desiredQueries.endedSince(groupID, clientID, since).filter(({ hash }) => !sent.has(hash))
  if (ended.length === 0) return []
  const queriesAtSince = state.engine.queriesAt(groupID, since)
  return ended.flatMap(({ hash, ttlMs }): DesiredQueriesPatch => {
    const query = queriesAtSince.get(hash)
    return query ? [{ op: 'put', hash, ttl: ttlMs, name: query.name, args: [...query.args] }] : []
  })
}

function addQuery(state: UserState, { userId, groupID }: ClientContext, op: PutDesiredQuery): QueryError | null {
  const resolved = resolveQuery(state, op, userId)
  return 'error' in resolved ? resolved.error : tryAdd(state, groupID, resolved.query)
}

function tryAdd(state: UserState, groupID: string, query: GroupQuery): QueryError | null {
  const live = state.engine.queries(groupID)
  const isFull = live.length >= maxQueriesPerGroup && !live.some(({ hash }) => hash === query.hash)
  const replaced = isFull ? firstToExpire(state, groupID) : null
  if (isFull && replaced === null) return queryError('app', query, 'too many queries')
  try {
    state.engine.addQuery(groupID, query)
  } catch (error) {
    if (error instanceof UnsupportedQueryError) return queryError('app', query, error.message)
    throw error
  }
  // After the addition, because a refused query replaces none.
  if (replaced !== null) state.engine.removeQuery(groupID, replaced)
  return null
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

/** Returns one version for all changes of a message: the version that the engine has taken since this call, or a new one. Decided at the first use. */
function oneVersion({ engine }: UserState): () => Version {
  const before = engine.version
  let taken: Version | null = null
  return () => {
    taken ??= engine.version > before ? engine.version : engine.nextVersion()
    return taken
  }
}

/** The live queries and when each expires on the group's clock; null while a client desires it. A query without a row in `sync_desire` has expired. */
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

type NamedQuery = { readonly hash: string; readonly name?: string | undefined; readonly args?: readonly Json[] | undefined }
type ResolvedQuery = { readonly query: GroupQuery } | { readonly error: QueryError }

/** Resolves a name and its arguments to a query of this user. Other queries are never evaluated. */
export function resolveQuery({ config }: Pick<UserState, 'config'>, named: NamedQuery, userId: string): ResolvedQuery {
  const { hash, name, args = [] } = named
  const refusal = (error: QueryError['error'], message: string): ResolvedQuery => ({ error: queryError(error, named, message) })
  if (name === undefined) return refusal('app', 'only named queries are supported')
  // `getQuery` is typed for the literal type of one registry; `config.queries` has the general type.
  const query: unknown = getQuery(config.queries as Parameters<typeof getQuery>[0], name)
  // A name is a path in the registry. It can also lead to a group of queries or to an inherited property.
  if (!isQuery(query) || query.queryName !== name) return refusal('app', 'unknown query')
  try {
    // The engine stores the arguments, even of queries that take none, so their size is limited here.
    if (JSON.stringify(args).length > maxQueryArgsChars) return refusal('parse', 'the arguments are too long')
    const { ast } = asQueryInternals(query.fn({ args: args[0], ctx: { userId } }))
    return { query: { hash, name, args, ast } }
  } catch (error) {
    const isInvalid = error instanceof InputValidationError
    return refusal(isInvalid ? 'parse' : 'app', error instanceof Error ? error.message : 'the query failed')
  }
}

const queryError = (error: QueryError['error'], { hash, name = '' }: NamedQuery, message: string): QueryError => ({
  error,
  id: hash,
  name,
  message,
})
