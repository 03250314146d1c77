/**
 * Deletes the old end of the log, ended queries, and groups that have not connected for long. Their clients are still served: a cookie below
 * the floor by a clear, a deleted group from the source (SPEC H3).
 */
import type { Version } from '../engine/types.ts'
import type { UserState } from './user-state.ts'

/** Chosen: about 200 bytes each. */
const maxLogVersions = 50_000
const retainedLogVersions = 40_000
/** Chosen: removed and ended queries of all groups. A browser closes about ten per minute at most. */
const maxEnded = 2000
const retainedEndedQueries = 1000
const groupRetentionMs = 60 * 24 * 60 * 60 * 1000

export function collectGarbage(state: UserState, nowMs: number): void {
  const { engine, sql } = state
  const floor = floorOf(state)
  const unseen = state.groups.unseenSince(nowMs - groupRetentionMs)
  if (floor <= engine.floor && unseen.length === 0) return
  sql.transaction(() => {
    for (const groupID of unseen) forgetGroup(state, groupID)
    if (floor <= engine.floor) return
    engine.prune(floor)
    state.results.prune(engine.floor)
    for (const groupID of state.groups.ids()) {
      const live = new Set(engine.queries(groupID).map(({ hash }) => hash))
      state.desiredQueries.prune(engine.floor, groupID, live, state.groups.clockMs(groupID, nowMs))
    }
  })
}

/** The oldest version from which a difference is computed. */
function floorOf({ engine, desiredQueries }: UserState): Version {
  return Math.max(
    engine.version - engine.floor > maxLogVersions ? engine.version - retainedLogVersions : 0,
    engine.removedCount > maxEnded ? engine.removalBefore(retainedEndedQueries) : 0,
    desiredQueries.hasEndedMoreThan(maxEnded) ? desiredQueries.endedBefore(retainedEndedQueries) : 0,
  )
}

/** Progress too: the source keeps it. */
export function forgetGroup({ engine, groups, clients, desiredQueries, results }: UserState, groupID: string): void {
  engine.dropGroup(groupID)
  for (const store of [clients, desiredQueries, results]) store.removeGroup(groupID)
  groups.remove(groupID)
}
