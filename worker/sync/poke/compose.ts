/**
 * What a client group at one version needs to be at the version now: rows, got queries, desires, progress, results. Call it in the
 * transaction that wrote the version, speak after the commit. Pure in (group, base), so connections that stand at one cookie share it.
 */
import { decodeCookie, encodeCookie } from '../engine/cookie.ts'
import type { Version } from '../engine/types.ts'
import type { PokePart } from '../protocol/down.ts'
import type { QueryOp } from '../protocol/queries-patch.ts'
import type { UserState } from '../user-state.ts'
import { splitRows } from './split-rows.ts'

export type Poke = {
  readonly baseCookie: string | null
  readonly cookie: string
  /** In the order they must be sent. None means that nothing this group sees has changed. */
  readonly parts: readonly PokePart[]
}

export function composePoke(state: UserState, groupID: string, baseCookie: string | null): Poke {
  const since = baseCookie === null ? null : decodeCookie(baseCookie)
  const delta = state.engine.sync(groupID, since)
  const gotQueriesPatch: QueryOp[] = [
    ...delta.gone.map((hash) => ({ op: 'del', hash }) as const),
    ...delta.got.map((hash) => ({ op: 'put', hash }) as const),
  ]
  const memory = memoryPart(state, groupID, delta.clear ? null : since)
  const first = { ...memory, ...(gotQueriesPatch.length > 0 ? { gotQueriesPatch } : {}) }
  const parts: PokePart[] = [
    // Alone and first: it takes the client's whole key space with it, what follows builds it again.
    ...(delta.clear ? [{ rowsPatch: [{ op: 'clear' as const }] }] : []),
    // Progress and results travel together, or a refused mutation would look like a success.
    ...(Object.keys(first).length > 0 ? [first] : []),
    ...splitRows(delta.rows).map((rowsPatch) => ({ rowsPatch })),
  ]
  return { baseCookie, cookie: cookieFor(parts, baseCookie, delta.version), parts }
}

/** Wipes whatever the client holds; for a group that this object knows of only from the record. */
export function composeClear(state: UserState, groupID: string, baseCookie: string): Poke {
  const parts = [{ rowsPatch: [{ op: 'clear' as const }] }, memoryPart(state, groupID, null)]
  return { baseCookie, cookie: encodeCookie(state.engine.version), parts }
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

/** An empty poke must leave the cookie where it is: the client drops the patch of a poke whose cookie did not grow, and there is none. */
function cookieFor(parts: readonly PokePart[], baseCookie: string | null, version: Version): string {
  return parts.length === 0 && baseCookie !== null ? baseCookie : encodeCookie(version)
}
