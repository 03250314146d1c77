/**
 * From what clients desire to what the engine answers. A query lives as long as a client of its group desires it, and after that
 * until its time to live has passed on the group's clock. Call everything here inside a storage transaction.
 */
import { UnsupportedQueryError, type Version } from '../engine/types.ts'
import type { QueryError } from '../protocol/down.ts'
import { maxQueriesPerGroup } from '../protocol/limits.ts'
import type { DesiredQueriesPatch, PutDesiredQuery } from '../protocol/queries-patch.ts'
import { clampTtlMs } from '../state/desires.ts'
import type { UserState } from '../user-state.ts'
import { resolveQuery } from './resolve.ts'

export type Asking = { readonly userId: string; readonly groupID: string; readonly clientID: string; readonly nowMs: number }

/** Returns the queries that cannot be answered; they leave no trace, so that the client asks again when it connects again. */
export function applyDesires(state: UserState, asking: Asking, patch: DesiredQueriesPatch): readonly QueryError[] {
  if (patch.length === 0) return []
  const { groupID, clientID, nowMs } = asking
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const errors: QueryError[] = []
  const version = oneVersion(state)
  for (const op of patch) {
    if (op.op === 'put') {
      const error = addQuery(state, asking, op)
      if (error) errors.push(error)
      else state.desires.put(groupID, clientID, op.hash, clampTtlMs(op.ttl), version())
    } else {
      const hashes = op.op === 'del' ? [op.hash] : state.desires.activeHashes(groupID, clientID)
      inactivate(state, groupID, clientID, hashes, clockMs, version)
    }
  }
  expireQueries(state, groupID, nowMs)
  return errors
}

/** Clients of the group that desire anything, or have not acknowledged something. */
export const clientsHere = ({ desires, results }: UserState, groupID: string): readonly string[] => [
  ...new Set([...desires.activeClients(groupID), ...results.waitingClients(groupID)]),
]

/** Clients that are gone desire nothing any more, and acknowledge nothing. A list may name thousands that were never here: they cost nothing. */
export function inactivateClients(state: UserState, groupID: string, clientIDs: readonly string[], nowMs: number): void {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const version = oneVersion(state)
  const gone = new Set(clientIDs)
  for (const clientID of gone.size === 0 ? [] : clientsHere(state, groupID).filter((here) => gone.has(here))) {
    inactivate(state, groupID, clientID, state.desires.activeHashes(groupID, clientID), clockMs, version)
    if (state.results.unacknowledged(groupID, clientID, Number.MAX_SAFE_INTEGER) > 0)
      state.results.acknowledge(groupID, clientID, Number.MAX_SAFE_INTEGER, state.engine.nextVersion())
  }
  expireQueries(state, groupID, nowMs)
}

/** Drops queries whose time has passed. */
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
 * After a deploy a name may mean another query, or none. The engine then moves clients from the old answer to the new one; what means nothing
 * is desired by nobody any more, as if it had never been known, so that whoever wants it asks for it again, and hears why not.
 */
export function refreshQueries(state: UserState, groupID: string, userId: string, nowMs: number): void {
  const clockMs = state.groups.clockMs(groupID, nowMs)
  const version = oneVersion(state)
  for (const stored of state.engine.queries(groupID)) {
    const resolved = resolveQuery(stored, userId)
    if ('query' in resolved && JSON.stringify(resolved.query.ast) === JSON.stringify(stored.ast)) continue
    state.engine.removeQuery(groupID, stored.hash)
    if ('query' in resolved && tryAdd(state, groupID, resolved.query) === null) continue
    for (const clientID of state.desires.clientsOf(groupID, stored.hash))
      inactivate(state, groupID, clientID, [stored.hash], clockMs, version)
  }
}

/**
 * Desires of this client that ended without its knowing: a deploy took their meaning, it was taken for dead, or what it ended itself it wants
 * again. When it comes back it says what differs from what it knows, and so nothing of these.
 */
export function unsaidDesires(
  state: UserState,
  { groupID, clientID }: Asking,
  since: Version,
  patch: DesiredQueriesPatch,
): DesiredQueriesPatch {
  if (patch.some(({ op }) => op === 'clear')) return []
  const said = new Set(patch.map((op) => ('hash' in op ? op.hash : '')))
  const unheard = state.desires.endedSince(groupID, clientID, since).filter(({ hash }) => !said.has(hash))
  if (unheard.length === 0) return []
  const had = state.engine.queriesAt(groupID, since)
  return unheard.flatMap(({ hash, ttlMs }): DesiredQueriesPatch => {
    const known = had.get(hash)
    return known ? [{ op: 'put', hash, ttl: ttlMs, name: known.name, args: [...known.args] }] : []
  })
}

function addQuery(state: UserState, { userId, groupID }: Asking, op: PutDesiredQuery): QueryError | null {
  const resolved = resolveQuery(op, userId)
  return 'error' in resolved ? resolved.error : tryAdd(state, groupID, resolved.query)
}

type Resolved = Parameters<UserState['engine']['addQuery']>[1]

function tryAdd(state: UserState, groupID: string, query: Resolved): QueryError | null {
  const alive = state.engine.queries(groupID)
  const refused = (message: string): QueryError => ({ error: 'app', id: query.hash, name: query.name, message })
  if (alive.length >= maxQueriesPerGroup && !alive.some(({ hash }) => hash === query.hash)) return refused('too many queries')
  try {
    state.engine.addQuery(groupID, query)
    return null
  } catch (error) {
    if (error instanceof UnsupportedQueryError) return refused(error.message)
    throw error
  }
}

function inactivate(
  { desires }: UserState,
  groupID: string,
  clientID: string,
  hashes: readonly string[],
  clockMs: number,
  version: () => Version,
): void {
  for (const hash of hashes) desires.inactivate(groupID, clientID, hash, clockMs, version())
}

/** One for all that a message changes: taken when it is first needed, unless something of the message has taken one already. */
function oneVersion({ engine }: UserState): () => Version {
  const before = engine.version
  let taken: Version | null = null
  return () => {
    taken ??= engine.version > before ? engine.version : engine.nextVersion()
    return taken
  }
}

/** The live queries and when each expires on the group's clock; one that nobody ever desired is over. */
function expiries(state: UserState, groupID: string): readonly (readonly [hash: string, expiresAtMs: number | null])[] {
  const known = state.desires.expiries(groupID)
  return state.engine.queries(groupID).map(({ hash }) => [hash, known.has(hash) ? (known.get(hash) ?? null) : 0])
}
