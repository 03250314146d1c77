/**
 * The only way for rows into the replica of a complete import. `commit` names the steps of a mutation after the mutators: commit to the
 * source and read its feed, apply the feed to the replica, notify the features, send pokes.
 */
import type { Version } from '../engine/types.ts'
import { applyPull, type CommitPart, commitAndPull, hasOtherTables, type Pull } from '../pull/pull.ts'
import type { Applied } from '../pull/source.ts'
import type { UserContext } from './context.ts'

type Commit = CommitPart & {
  /** Runs in the storage transaction that applies the pull. `version` is above every version sent to clients. */
  readonly edit?: (pull: Pull, version: Version) => void
  readonly isAfterImport?: boolean
}

/** Chosen: when the alarm continues an import that was interrupted. */
const importRetryMs = 5000
/** Chosen: when the alarm pulls again after the pull of a notification failed. */
const pullRetryMs = 5000

export async function commit(context: UserContext, { edit, isAfterImport = false, ...part }: Commit = {}): Promise<Pull> {
  const { state, source, features } = context
  const { engine, meta } = state
  const applied = (part.mutations ?? []).flatMap(({ outcome }): Applied[] => (outcome.type === 'applied' ? [outcome] : []))
  for (const feature of features) if (applied.length > 0) await feature.beforeCommit?.(applied)
  const versionBefore = engine.version
  const isReimport = hasOtherTables(state)
  if (isReimport) await scheduleImportAlarm(context)
  const pull = await commitAndPull(state, source, part)
  if (isReimport) meta.setAlarmAt('import', null)
  if (pull.isRestored) context.reconnectAll()
  const apply = () => {
    const changes = applyPull(state, source, pull)
    meta.setAlarmAt('pull', null)
    // If rows changed, reuse their version.
    edit?.(pull, changes.length > 0 ? engine.version : engine.nextVersion())
    if (context.isImporting) return
    const event = { changes, hasNewVersion: engine.version > versionBefore, isFirstSinceWake: !context.hasPulledSinceWake, isAfterImport }
    for (const feature of features) feature.onCommit?.(event)
  }
  await context.publish(() => meta.together(apply))
  context.hasPulledSinceWake = true
  context.isSourceAnswering = true
  for (const feature of features) feature.afterCommit?.(applied)
  if (context.isImporting) await scheduleImportAlarm(context)
  await context.alarm.arm()
  return pull
}

/** Pulls once after a wake: a notification may have been lost, so the replica may be stale. */
export async function pullAfterWake(context: UserContext): Promise<void> {
  if (!context.hasPulledSinceWake) await commit(context)
}

/** Pulls after another writer changed rows. If the source does not answer, the alarm pulls again. */
export async function pullNotified(context: UserContext): Promise<void> {
  try {
    await commit(context)
  } catch (error) {
    context.state.meta.setAlarmAt('pull', Date.now() + pullRetryMs)
    await context.alarm.arm()
    throw error
  }
}

/** The alarm continues the import after an eviction or a failed read. */
export async function scheduleImportAlarm({ state, alarm }: UserContext): Promise<void> {
  state.meta.setAlarmAt('import', Date.now() + importRetryMs)
  await alarm.arm()
}
