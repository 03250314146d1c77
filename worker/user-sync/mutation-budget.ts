/**
 * The mutations of a user and UTC day. D1 counts them (triggers of `clientProgress`), and the usage row brings the count to the replica in
 * steps of `mutationStep`. So a limit can be exceeded by one step and one batch.
 */

import { countToday, nextDayStartMs } from '../contract/access.ts'
import { mutationsPerDay, reducingMutationsPerDay } from '../contract/limits.ts'
import type { Engine } from '../sync/engine/types.ts'
import type { MutationBudget } from '../sync/object/app.ts'
import { appErrorOf } from '../turns/mutator-effects.ts'
import { findRow, planIn } from '../turns/replica-rows.ts'

/** Mutations that delete or stop, and those that undo a deletion. */
const reducing: ReadonlySet<string> = new Set([
  'threads.stop',
  'threads.delete',
  'threads.restore',
  'projects.delete',
  'projects.restore',
  'projects.removeFile',
  'prompts.delete',
  'prompts.restore',
  'messages.delete',
  'messages.restore',
  'queue.remove',
  'shares.revoke',
  'research.removeStep',
])

/** Mutations that copy or add whole threads, without a credit. */
const paced: ReadonlySet<string> = new Set(['threads.import', 'threads.fork'])
export const isPaced = (name: string): boolean => paced.has(name)

/** `perDay` overrides the limits of the plans. */
export const mutationBudget =
  (perDay: number | null): MutationBudget =>
  (engine, userId, nowMs) => {
    const used = mutationsToday(engine, userId, nowMs)
    // Most users are below the lowest limit, and their plan is not read.
    const isBelowAllLimits = used < (perDay ?? mutationsPerDay.guest)
    // Negative below the plan's limit.
    const excess = isBelowAllLimits ? -1 : used - (perDay ?? mutationsPerDay[planIn(engine, userId, nowMs)])
    return {
      refusalOf: (name) => (excess < 0 || reducing.has(name) ? null : appErrorOf('mutation_limit_reached')),
      retryAt: excess < reducingMutationsPerDay ? null : nextDayStartMs(nowMs),
    }
  }

function mutationsToday(engine: Engine, userId: string, nowMs: number): number {
  const usage = findRow(engine, 'usage', userId)
  return countToday(usage?.mutationDay, usage?.mutations, nowMs)
}
