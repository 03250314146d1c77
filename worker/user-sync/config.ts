/** The contract as configuration of the sync server: tables, replica indexes, named queries, mutators and their daily limits. */

import { countToday, nextDayStartMs } from '../contract/access.ts'
import { mutationsPerDay, queryTtlMs, reducingMutationsPerDay } from '../contract/limits.ts'
import { queries } from '../contract/queries.ts'
import { schema } from '../contract/schema.ts'
import type { Indexes } from '../sync/engine/replica.ts'
import type { Engine } from '../sync/engine/types.ts'
import type { MutationBudget } from '../sync/object/app.ts'
import type { MutatorApp } from '../sync/push/apply-mutators.ts'
import type { StateConfig } from '../sync/state/user-state.ts'
import { appErrorOf, checkWrite, refusalOf, runMutator, serverMutators, traitsOf } from '../turns/server-mutators.ts'
import { findRow, planIn } from './replica-rows.ts'

/** An index of deleted rows only. */
const deleted: Indexes[string][number] = { columns: ['userId', ['deletedAt', 'desc'], 'id'], present: 'deletedAt' }

/** Indexes of correlation columns, and of columns that windows filter and sort by. Each index costs one additional row write per row. */
const indexes: Indexes = {
  // In the order of the thread list, including ties.
  thread: [
    ['userId', 'deletedAt', 'expiresAt', 'archivedAt', ['updatedAt', 'desc'], 'id'],
    { columns: ['userId', 'expiresAt', ['deletedAt', 'desc'], 'id'], present: 'deletedAt' },
    { columns: ['userId', 'deletedAt', 'expiresAt', 'archivedAt', ['pinnedAt', 'desc'], 'id'], present: 'pinnedAt' },
    { columns: ['userId', 'deletedAt', 'expiresAt', ['archivedAt', 'desc'], 'id'], present: 'archivedAt' },
    { columns: ['projectId', 'userId', 'deletedAt', 'expiresAt', 'archivedAt', ['updatedAt', 'desc'], 'id'], present: 'projectId' },
    // Temporary threads, in the order of their ends.
    { columns: ['userId', 'deletedAt', 'expiresAt', 'id'], present: 'expiresAt' },
  ],
  project: [['userId', 'deletedAt', 'name', 'id']],
  message: [
    ['threadId', 'createdAt', 'id'],
    deleted,
    { columns: ['userId', 'deletedAt', ['bookmarkedAt', 'desc'], 'id'], present: 'bookmarkedAt' },
  ],
  queuedMessage: [['threadId']],
  share: [['userId', 'revokedAt', ['createdAt', 'desc'], 'id'], ['threadId']],
  summary: [['threadId']],
  presence: [['threadId', 'id']],
  prompt: [['userId', 'deletedAt', 'name', 'id']],
  memory: [['userId', 'deletedAt', ['createdAt', 'desc'], 'id'], ['threadId']],
  draft: [['userId', 'threadId', 'deletedAt', ['updatedAt', 'desc'], 'id']],
  approval: [['threadId', ['createdAt', 'desc'], 'id'], ['messageId']],
  toolServer: [['userId', 'name', 'id']],
  setting: [['userId']],
  usage: [['userId']],
  dailyUse: [['userId', ['day', 'desc'], 'id']],
  userCustomer: [['userId']],
  member: [['organizationId', 'createdAt', 'id'], ['userId']],
  invitation: [['organizationId', 'createdAt', 'id']],
  team: [['organizationId', 'createdAt', 'id']],
  teamMember: [['teamId']],
  organizationCustomer: [['organizationId']],
  sharedPrompt: [['organizationId', 'deletedAt', 'name', 'id']],
  organizationToolServer: [['organizationId', 'name', 'id']],
  model: [['position', 'id']],
}

export const stateConfig: StateConfig = { tables: schema.tables, indexes, queries, queryTtlMs }

/** With the default price of a credit. */
export const mutatorApp: MutatorApp = {
  ...{ tables: schema.tables, mutators: serverMutators, checkWrite, refusalOf },
  runMutator: (call) => runMutator(call),
}

export const isPaced = (name: string): boolean => traitsOf(name).isPaced ?? false

/**
 * The mutations of a user and UTC day. D1 counts them (triggers of `clientProgress`), and the usage row brings the count to the replica in
 * steps of `mutationStep`. So a limit can be exceeded by one step and one batch. `perDay` overrides the limits of the plans.
 */
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
