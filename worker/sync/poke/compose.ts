/**
 * The content that brings a client group from one version to the current one: rows, got and desired queries, progress, results. Call it in
 * the transaction that wrote the version, and send after the commit. Pure in (group, base), so connections with one cookie share it.
 */

import { tablesOf } from '../engine/compile.ts'
import type { Version } from '../engine/types.ts'
import { decodeCookie } from '../engine/versions.ts'
import type { PokePart, QueryOp } from '../protocol/down.ts'
import type { UserState } from '../state/user-state.ts'

export type Poke = {
  readonly baseCookie: string | null
  readonly version: Version
  /** The parts before the rows, in the order of sending. */
  readonly head: readonly PokePart[]
  /** Row ops as text. Read once, before any other write. */
  readonly rows: Iterable<string>
}

/** `unchangedAt`: nothing that the client needs changed between its cookie and this version. */
export function composePoke(state: UserState, groupID: string, baseCookie: string | null, unchangedAt: Version): Poke {
  const held = baseCookie === null ? null : versionOf(state, groupID, baseCookie)
  const since = held === null || held < 0 ? held : Math.max(held, unchangedAt)
  const delta = state.engine.stream(groupID, since)
  const gotQueriesPatch: QueryOp[] = [
    ...delta.removed.map((hash) => ({ op: 'del', hash }) as const),
    ...completeQueries(state, groupID, delta.clear ? null : since, delta.got).map((hash) => ({ op: 'put', hash }) as const),
  ]
  const memory = metadataPart(state, groupID, delta.clear ? null : since)
  const first = { ...memory, ...(gotQueriesPatch.length > 0 ? { gotQueriesPatch } : {}) }
  const head: PokePart[] = [
    // Alone and first: a clear deletes the client's whole key space.
    ...(delta.clear ? [{ rowsPatch: [{ op: 'clear' as const }] }] : []),
    // Progress and results are one part, or a refused mutation would look successful.
    ...(Object.keys(first).length > 0 ? [first] : []),
  ]
  return { baseCookie, version: delta.version, head, rows: delta.rows }
}

/**
 * The cookie as a version. If the cookie is from before the group was stored, the object does not know what the client has. Then the version
 * is -1, below every floor, so the client is cleared.
 */
function versionOf({ groups }: UserState, groupID: string, cookie: string): Version | null {
  const version = decodeCookie(cookie)
  return version !== null && version < groups.knownSince(groupID) ? -1 : version
}

/** Clears a client of a group that exists only in the source. */
export function composeClear(state: UserState, groupID: string, baseCookie: string): Poke {
  const head = [{ rowsPatch: [{ op: 'clear' as const }] }, metadataPart(state, groupID, null)]
  return { baseCookie, version: state.engine.version, head, rows: [] }
}

function metadataPart(state: UserState, groupID: string, since: Version | null): PokePart {
  const lastMutationIDChanges = state.clients.changes(groupID, since)
  const desiredQueriesPatches = state.desiredQueries.changes(groupID, since)
  const mutationsPatch = state.results.changes(groupID, since)
  return {
    ...(Object.keys(lastMutationIDChanges).length > 0 ? { lastMutationIDChanges } : {}),
    ...(Object.keys(desiredQueriesPatches).length > 0 ? { desiredQueriesPatches } : {}),
    ...(mutationsPatch.length > 0 ? { mutationsPatch } : {}),
  }
}

/**
 * Queries to report as complete. During an import, a query that reads a partly imported table is answered with the rows that exist and is not
 * complete. When a table is complete, queries are reported again. `got`: queries that are new to a client at `since`.
 */
function completeQueries({ engine, meta }: UserState, groupID: string, since: Version | null, got: readonly string[]): readonly string[] {
  const { cursors, completedAt } = meta.importing
  const queries = engine.queries(groupID)
  const reported = since !== null && since < completedAt ? queries.map(({ hash }) => hash) : got
  if (cursors.length === 0) return reported
  const partial = new Set(cursors.map(({ table }) => table))
  const isPartial = new Set(queries.filter(({ ast }) => [...tablesOf(ast)].some((table) => partial.has(table))).map(({ hash }) => hash))
  return reported.filter((hash) => !isPartial.has(hash))
}
