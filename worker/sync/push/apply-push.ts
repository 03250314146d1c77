/**
 * Pushed mutations, exactly once each: run on the replica, one D1 batch, the answer into the replica, results to the clients. The batch
 * carries the progress, guarded, so it is applied whole or not at all; whatever its answer was, the record says what is still due.
 */

import type { RefusalCode } from '../../contract/errors.ts'
import { classifyD1Error } from '../../db/errors.ts'
import { groupProgressStatements, readGroupProgress } from '../../db/progress.ts'
import { logger } from '../../lib/logger.ts'
import type { Version } from '../engine/types.ts'
import type { Pull } from '../pull.ts'
import { opensTurn } from '../server-mutators.ts'
import { syncedTables } from '../synced-tables.ts'
import type { UserContext } from '../user-context.ts'
import { BatchLoad } from './batch-load.ts'
import { type Reaction, reactionTo } from './failure.ts'
import { Overlay } from './overlay.ts'
import { type Pending, type PushedMutation, pendingOf, sendersFrom } from './pending.ts'
import type { PushProblem } from './problem.ts'
import { refusedWith, runMutation } from './run-mutation.ts'
import { type Ran, statementsOf } from './statements.ts'

/** Returns what could not be applied; everything else is done and poked. */
export async function applyPush(context: UserContext, pushed: readonly PushedMutation[]): Promise<readonly PushProblem[]> {
  let isReread = false
  let rereads = 0
  let refusal: RefusalCode | null = null
  for (;;) {
    const { due, gaps } = pendingIn(context, pushed)
    // A gap may be ours: a batch whose answer never arrived.
    if (gaps.length > 0 && !isReread) {
      await reread(context, pushed)
      isReread = true
      continue
    }
    if (due.length === 0) return gaps.map((gap) => ({ type: 'gap', ...gap }))
    const nowMs = Date.now()
    const ran = refusal
      ? due.map((item) => ({ pushed: item, outcome: refusedWith(refusal ?? 'internal') }))
      : await runAll(context, due, nowMs)
    // What a person may not do is decided on the rows as they are, not as this object last heard of them.
    if (!refusal && !isReread && ran.some(({ outcome }) => outcome.type === 'refused')) {
      await context.commit()
      isReread = true
      continue
    }
    try {
      await commitRan(context, ran, nowMs)
      if (ran.length === due.length) return gaps.map((gap) => ({ type: 'gap', ...gap }))
      // The batch was full. Its answer brought the newest rows for those that did not fit.
      isReread = true
      rereads = 0
    } catch (error) {
      const failure = classifyD1Error(error)
      const reaction: Reaction = refusal ? { type: 'give-up' } : reactionTo(failure, rereads)
      logger.warn('push batch refused', { kind: failure.kind, code: 'code' in failure ? failure.code : null, reaction: reaction.type })
      if (reaction.type === 'reread') {
        await reread(context, pushed)
        isReread = true
        rereads += 1
      } else if (reaction.type === 'restored') {
        // Everybody comes back, and is judged by what the record knows.
        context.startAnew()
        return []
      } else if (due.length > 1 && reaction.type !== 'give-up') {
        return [...(await applyEach(context, due)), ...gaps.map((gap) => ({ type: 'gap', ...gap }) as const)]
      } else if (reaction.type === 'refuse') {
        refusal = reaction.code
      } else {
        const { type } = reaction
        return due.map((item) => ({ type, pushed: item }))
      }
    }
  }
}

/** One batch each, to tell the mutation that cannot be from those that only stood beside it. */
async function applyEach(context: UserContext, due: readonly PushedMutation[]): Promise<readonly PushProblem[]> {
  const problems: PushProblem[] = []
  for (const item of due) {
    // What is behind a mutation that could not be applied is no gap: its client comes back with both.
    if (problems.some(({ pushed }) => sendersFrom([item], pushed).size > 0)) continue
    problems.push(...(await applyPush(context, [item])))
  }
  return problems
}

function pendingIn({ state }: UserContext, pushed: readonly PushedMutation[]): Pending {
  return pendingOf(pushed, (groupID, clientID) => state.clients.lastMutationID(groupID, clientID))
}

/** As many as one batch carries, and one at least. */
async function runAll({ state, userId }: UserContext, due: readonly PushedMutation[], nowMs: number): Promise<readonly Ran[]> {
  const overlay = new Overlay(state.engine, syncedTables)
  const ran: Ran[] = []
  const load = new BatchLoad()
  for (const pushed of due) {
    const outcome = await runMutation(overlay, pushed.mutation, userId, nowMs)
    if (!load.takes(outcome) && ran.length > 0) break
    ran.push({ pushed, outcome })
  }
  return ran
}

async function commitRan(context: UserContext, ran: readonly Ran[], nowMs: number): Promise<void> {
  const { state, record, userId } = context
  // Before the batch: should this object die between D1's commit and its own, the alarm finds the turn.
  const opensTurns = ran.some(({ pushed, outcome }) => outcome.type === 'applied' && opensTurn(pushed.mutation.name))
  if (opensTurns) await context.expectTurn()
  const edit = (_pull: Pull, version: Version) => {
    context.quota.store()
    for (const { pushed, outcome } of ran) {
      const { groupID, mutation } = pushed
      if (outcome.type === 'refused') state.results.put(groupID, mutation.clientID, mutation.id, outcome.error, version)
      state.clients.advance(groupID, mutation.clientID, mutation.id, version)
    }
  }
  await context.commit({ statements: statementsOf(record.content, userId, ran, nowMs), edit, opensTurns })
}

/** Takes in what the record says about the groups that push: rows, progress and results of batches whose answers were lost. */
async function reread(context: UserContext, pushed: readonly PushedMutation[]): Promise<void> {
  const { record, userId } = context
  const groupIDs = [...new Set(pushed.map(({ groupID }) => groupID))]
  const statements = groupIDs.flatMap((groupID) => groupProgressStatements(record.content, userId, groupID))
  const edit = ({ results }: Pull, version: Version) => {
    // Of a batch that was committed after all this is the only transaction.
    context.quota.store()
    for (const [i, groupID] of groupIDs.entries()) {
      takeProgress(context, groupID, readGroupProgress(results[2 * i], results[2 * i + 1]), version)
    }
  }
  await context.commit({ statements, edit })
}

/** Call inside a storage transaction. Results first known here were never told. */
export function takeProgress(
  { state }: UserContext,
  groupID: string,
  progress: ReturnType<typeof readGroupProgress>,
  version: number,
): void {
  for (const { clientID, lastMutationID } of progress.clients) state.clients.advance(groupID, clientID, lastMutationID, version)
  // Written by `statementsOf` alone.
  for (const { clientID, mutationID, result } of progress.results)
    state.results.put(groupID, clientID, mutationID, JSON.parse(result), version)
}
