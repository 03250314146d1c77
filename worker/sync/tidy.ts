/**
 * What the object forgets: the old end of the log, and groups whose browsers have not been here for long. Whoever comes back later is
 * still served: a cookie below the floor by a clear and everything anew, a forgotten group by the record.
 */
import type { UserState } from './user-state.ts'

/** Ours: about 200 bytes each. */
const maxLogVersions = 50_000
const keptLogVersions = 40_000
const groupKeptMs = 60 * 24 * 60 * 60 * 1000

export function tidy(state: UserState, nowMs: number): void {
  const { engine, sql } = state
  const isLogLong = engine.version - engine.floor > maxLogVersions
  const unseen = state.groups.unseenSince(nowMs - groupKeptMs)
  if (!isLogLong && unseen.length === 0) return
  sql.transaction(() => {
    for (const groupID of unseen) forgetGroup(state, groupID)
    if (!isLogLong) return
    engine.prune(engine.version - keptLogVersions)
    state.results.prune(engine.floor)
    for (const groupID of state.groups.ids()) {
      state.desires.prune(engine.floor, groupID, new Set(engine.queries(groupID).map(({ hash }) => hash)))
    }
  })
}

/** Progress too: the record keeps it. */
function forgetGroup({ engine, groups, clients, desires, results }: UserState, groupID: string): void {
  engine.dropGroup(groupID)
  for (const store of [clients, desires, results]) store.removeGroup(groupID)
  groups.remove(groupID)
}
