/**
 * What the object forgets: the old end of the log, and groups whose browsers have not been here for long. Whoever comes back later is
 * still served: a cookie below the floor by a clear and everything anew, a forgotten group by the record.
 */
import type { Version } from './engine/types.ts'
import type { UserState } from './user-state.ts'

/** Ours: about 200 bytes each. */
const maxLogVersions = 50_000
const keptLogVersions = 40_000
/** Ours: queries that were closed, and desires that ended, of all groups. A browser closes some ten a minute at most. */
const maxEnded = 2000
const keptEnded = 1000
const groupKeptMs = 60 * 24 * 60 * 60 * 1000

export function tidy(state: UserState, nowMs: number): void {
  const { engine, sql } = state
  const floor = floorOf(state)
  const unseen = state.groups.unseenSince(nowMs - groupKeptMs)
  if (floor <= engine.floor && unseen.length === 0) return
  sql.transaction(() => {
    for (const groupID of unseen) forgetGroup(state, groupID)
    forgetStrays(state)
    if (floor <= engine.floor) return
    engine.prune(floor)
    state.results.prune(engine.floor)
    for (const groupID of state.groups.ids()) {
      const alive = new Set(engine.queries(groupID).map(({ hash }) => hash))
      state.desires.prune(engine.floor, groupID, alive, state.groups.clockMs(groupID, nowMs))
    }
  })
}

/** The oldest version that is worth an answer by difference. */
function floorOf({ engine, desires }: UserState): Version {
  return Math.max(
    engine.version - engine.floor > maxLogVersions ? engine.version - keptLogVersions : 0,
    engine.goneCount > maxEnded ? engine.goneBefore(keptEnded) : 0,
    desires.hasEndedMoreThan(maxEnded) ? desires.endedBefore(keptEnded) : 0,
  )
}

/** An earlier release kept the progress of groups that never said what they want, and nothing else of them. */
export function forgetStrays({ sql }: UserState): void {
  for (const table of ['sync_client', 'sync_result']) sql.run(`delete from ${table} where groupID not in (select id from sync_group)`)
}

/** Progress too: the record keeps it. */
export function forgetGroup({ engine, groups, clients, desires, results }: UserState, groupID: string): void {
  engine.dropGroup(groupID)
  for (const store of [clients, desires, results]) store.removeGroup(groupID)
  groups.remove(groupID)
}
