/**
 * Pushed mutations, exactly once each (SPEC P2): select what is due, apply the mutators, commit, and take the answer into the replica. The
 * commit advances the progress of each client under a guard, so it succeeds as a whole or not at all. After a failure the source is read
 * again, and the mutations that are still due are run again.
 */
import { logger } from '../../lib/logger.ts'
import type { Version } from '../engine/types.ts'
import { commit } from '../object/commit.ts'
import type { UserContext } from '../object/context.ts'
import { prepareReplica } from '../object/import.ts'
import type { AppError } from '../protocol/down.ts'
import { applyProgress, type Pull } from '../pull/pull.ts'
import type { NewClients, Outcome } from '../pull/source.ts'
import { applyMutators, type RunMutation, refusedBy } from './apply-mutators.ts'
import { type Reaction, reactionTo } from './failure.ts'
import { applyPushRateLimit, limitPush } from './limit-mutations.ts'
import { type Pending, type PushedMutation, type PushProblem, pendingOf, problemError, sendersFrom } from './pending.ts'

/** `later` while rows are being imported; nothing was done then. */
export async function servePush(context: UserContext, pushed: readonly PushedMutation[]): Promise<'done' | 'later'> {
  const { connections } = context
  if (!(await prepareReplica(context))) return 'later'
  const nowMs = Date.now()
  const { accepted, refused } = applyPushRateLimit(context, pushed, nowMs)
  for (const problem of await applyPush(context, accepted)) {
    // Only one copy of a mutation is applied. The other senders are closed too, because their next mutation would be a gap.
    for (const socket of sendersFrom(accepted, problem.pushed)) {
      const connection = connections.of(socket)
      if (connection) connections.fail(connection, problemError(problem, connection.clientID))
    }
  }
  await limitPush(context, refused, nowMs)
  return 'done'
}

/** Returns the mutations that could not be applied. All others are committed and poked. */
async function applyPush(context: UserContext, pushed: readonly PushedMutation[]): Promise<readonly PushProblem[]> {
  const { app, source } = context
  let hasReread = false
  let rereads = 0
  let refusal: Outcome | null = null
  for (;;) {
    const { due, gaps } = pendingIn(context, pushed)
    // The gap may come from a commit whose answer was lost.
    if (gaps.length > 0 && !hasReread) {
      await reread(context, pushed)
      hasReread = true
      continue
    }
    if (due.length === 0) return gaps.map(gapProblem)
    const nowMs = Date.now()
    const run: readonly RunMutation[] = refusal ? refuseAll(due, refusal) : await applyMutators(context, due, nowMs)
    // A refusal is decided on rows that were read after the push arrived.
    if (!refusal && !hasReread && run.some(({ outcome }) => outcome.type === 'refused')) {
      await commit(context)
      hasReread = true
      continue
    }
    try {
      await commitMutations(context, run)
      if (run.length === due.length) return gaps.map(gapProblem)
      // The commit was full. Its answer brought the newest rows for the rest.
      hasReread = true
      rereads = 0
    } catch (error) {
      const failure = source.failureOf(error)
      const reaction: Reaction = refusal ? { type: 'give-up' } : reactionTo(failure, rereads)
      logger.warn('push_batch_refused', { failure: failure.type, error: String(error), reaction: reaction.type })
      if (reaction.type === 'reread') {
        await reread(context, pushed)
        hasReread = true
        rereads += 1
      } else if (reaction.type === 'restored') {
        context.resetReplica()
        return []
      } else if (due.length > 1 && reaction.type !== 'give-up') {
        return [...(await applyEach(context, due)), ...gaps.map(gapProblem)]
      } else if (reaction.type === 'refuse') {
        refusal = outcomeOf(reaction.error) ?? refusedBy(app, error)
      } else {
        return due.map((item) => ({ ...reaction, pushed: item }))
      }
    }
  }
}

const gapProblem = (gap: Pending['gaps'][number]): PushProblem => ({ type: 'gap', ...gap })

const refuseAll = (due: readonly PushedMutation[], outcome: Outcome): readonly RunMutation[] => due.map((pushed) => ({ pushed, outcome }))

const outcomeOf = (error: AppError | null): Outcome | null => error && { type: 'refused', error }

/** One commit for each, to find the mutation that the source refuses. */
async function applyEach(context: UserContext, due: readonly PushedMutation[]): Promise<readonly PushProblem[]> {
  const problems: PushProblem[] = []
  for (const item of due) {
    // Skip later mutations of a client whose mutation failed. The client resends both.
    if (problems.some(({ pushed }) => sendersFrom([item], pushed).size > 0)) continue
    problems.push(...(await applyPush(context, [item])))
  }
  return problems
}

function pendingIn({ state }: UserContext, pushed: readonly PushedMutation[]): Pending {
  return pendingOf(pushed, (groupID, clientID) => state.clients.lastMutationID(groupID, clientID))
}

async function commitMutations(context: UserContext, run: readonly RunMutation[]): Promise<void> {
  const { state } = context
  const newClients = newClientsOfFullGroups(context, run)
  const edit = ({ removedClients }: Pull, version: Version) => {
    context.quota.store()
    for (const [i, { clientGroupID }] of newClients.entries()) state.clients.remove(clientGroupID, removedClients[i] ?? [])
    for (const { pushed, outcome } of run) {
      const { groupID, mutation } = pushed
      if (outcome.type === 'refused') state.results.put(groupID, mutation.clientID, mutation.id, outcome.error, version)
      state.clients.advance(groupID, mutation.clientID, mutation.id, version)
    }
  }
  const mutations = run.map(({ pushed: { groupID, mutation }, outcome }) => ({
    client: { clientGroupID: groupID, clientID: mutation.clientID, mutationID: mutation.id },
    outcome,
  }))
  await commit(context, { mutations, newClients, edit })
}

/** A client's first mutation has the id 1. */
function newClientsOfFullGroups({ app, state, connections }: UserContext, run: readonly RunMutation[]): readonly NewClients[] {
  const added = Map.groupBy(
    run.filter(({ pushed }) => pushed.mutation.id === 1),
    ({ pushed }) => pushed.groupID,
  )
  return [...added].flatMap(([clientGroupID, { length }]) => {
    if (state.clients.count(clientGroupID) + length <= app.limits.maxClientsPerGroup) return []
    const connected = connections.all().flatMap(({ groupID, clientID }) => (groupID === clientGroupID ? [clientID] : []))
    const pushing = run.flatMap(({ pushed }) => (pushed.groupID === clientGroupID ? [pushed.mutation.clientID] : []))
    return [{ clientGroupID, added: length, active: [...connected, ...pushing] }]
  })
}

/** Reads what the source has of the groups that push: rows, progress and results of commits whose answers were lost. */
async function reread(context: UserContext, pushed: readonly PushedMutation[]): Promise<void> {
  const progressOf = [...new Set(pushed.map(({ groupID }) => groupID))]
  const edit = ({ progress }: Pull, version: Version) => {
    // If the earlier commit succeeded without an answer, this transaction is the only one that can store the quota.
    context.quota.store()
    for (const [i, groupID] of progressOf.entries()) {
      const group = progress[i]
      if (group) applyProgress(context.state, groupID, group, version)
    }
  }
  await commit(context, { progressOf, edit })
}
