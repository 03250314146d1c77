/**
 * The mutations of a user and UTC day. D1 counts them (triggers of `clientProgress`), and the usage row brings the count to the replica in
 * steps of `mutationStep`. So a limit can be exceeded by one step and one batch.
 */

import { countToday, nextDayStartMs } from '../contract/access.ts'
import { mutationsPerDay, reducingMutationsPerDay } from '../contract/limits.ts'
import type { Engine } from '../sync/engine/types.ts'
import type { MutationBudget } from '../sync/object/app.ts'
import { appErrorOf, traitsOf } from '../turns/server-mutators.ts'
import { findRow, planIn } from './replica-rows.ts'

export const isPaced = (name: string): boolean => traitsOf(name).isPaced ?? false

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
      refusalOf: (name) => (excess < 0 || traitsOf(name).reduces ? null : appErrorOf('mutation_limit_reached')),
      retryAt: excess < reducingMutationsPerDay ? null : nextDayStartMs(nowMs),
    }
  }

function mutationsToday(engine: Engine, userId: string, nowMs: number): number {
  const usage = findRow(engine, 'usage', userId)
  return countToday(usage?.mutationDay, usage?.mutations, nowMs)
}
