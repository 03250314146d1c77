/**
 * What a client group at one version needs to be at the version now: rows, got queries, desires, progress, results. Call it in the
 * transaction that wrote the version, speak after the commit. Pure in (group, base), so connections that stand at one cookie share it.
 */
import { decodeCookie } from '../engine/cookie.ts'
import type { Version } from '../engine/types.ts'
import type { PokePart } from '../protocol/down.ts'
import type { QueryOp } from '../protocol/queries-patch.ts'
import { completeQueries } from '../queries/complete.ts'
import type { UserState } from '../user-state.ts'

export type Poke = {
  readonly baseCookie: string | null
  readonly version: Version
  /** What comes before the rows, in the order it must be sent. */
  readonly head: readonly PokePart[]
  /** Texts of row ops, to be read once and before anything else is written. */
  readonly rows: Iterable<string>
}

export function composePoke(state: UserState, groupID: string, baseCookie: string | null): Poke {
  const since = baseCookie === null ? null : versionOf(state, groupID, baseCookie)
  const delta = state.engine.stream(groupID, since)
  const gotQueriesPatch: QueryOp[] = [
    ...delta.gone.map((hash) => ({ op: 'del', hash }) as const),
    ...completeQueries(state, groupID, delta.clear ? null : since, delta.got).map((hash) => ({ op: 'put', hash }) as const),
  ]
  const memory = memoryPart(state, groupID, delta.clear ? null : since)
  const first = { ...memory, ...(gotQueriesPatch.length > 0 ? { gotQueriesPatch } : {}) }
  const head: PokePart[] = [
    // Alone and first: it takes the client's whole key space with it, what follows builds it again.
    ...(delta.clear ? [{ rowsPatch: [{ op: 'clear' as const }] }] : []),
    // Progress and results travel together, or a refused mutation would look like a success.
    ...(Object.keys(first).length > 0 ? [first] : []),
  ]
  return { baseCookie, version: delta.version, head, rows: delta.rows }
}

/** A version from before this object knew the group says nothing about what the client holds: below every floor, it is cleared. */
function versionOf({ groups }: UserState, groupID: string, cookie: string): Version | null {
  const version = decodeCookie(cookie)
  return version !== null && version < groups.knownSince(groupID) ? -1 : version
}

/** Wipes whatever the client holds; for a group that this object knows of only from the record. */
export function composeClear(state: UserState, groupID: string, baseCookie: string): Poke {
  const head = [{ rowsPatch: [{ op: 'clear' as const }] }, memoryPart(state, groupID, null)]
  return { baseCookie, version: state.engine.version, head, rows: [] }
}

function memoryPart(state: UserState, groupID: string, since: Version | null): PokePart {
  const lastMutationIDChanges = state.clients.changes(groupID, since)
  const desiredQueriesPatches = state.desires.changes(groupID, since)
  const mutationsPatch = state.results.changes(groupID, since)
  return {
    ...(Object.keys(lastMutationIDChanges).length > 0 ? { lastMutationIDChanges } : {}),
    ...(Object.keys(desiredQueriesPatches).length > 0 ? { desiredQueriesPatches } : {}),
    ...(mutationsPatch.length > 0 ? { mutationsPatch } : {}),
  }
}
