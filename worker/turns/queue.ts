/**
 * Starts queued messages, derived from rows alone: in a ready thread, the oldest queued message without a hold is sent. One
 * commit deletes the queued row and opens the turn, guarded by that row, so it happens once however often it is tried.
 *
 * A daily-limit hold ends when the limit allows the message (on the next UTC day, with another plan, or when credits return). Any other hold
 * waits for the user.
 */

import { nextDayStartMs } from '../contract/access.ts'
import { isRefusal, type RefusalCode } from '../contract/errors.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { isDailyHold } from '../contract/threads/queue-holds.ts'
import { isBusy } from '../contract/threads/thread-status.ts'
import { turnRefusal } from '../contract/threads/turn-refusal.ts'
import { logger } from '../lib/logger.ts'
import type { Engine } from '../sync/engine/types.ts'
import { commit } from '../sync/object/commit.ts'
import type { UserContext } from '../sync/object/context.ts'
import type { AppError } from '../sync/protocol/down.ts'
import type { CommittedMutation } from '../sync/pull/source.ts'
import { Overlay, runServerMutation } from '../sync/push/apply-mutators.ts'
import { reactionTo } from '../sync/push/failure.ts'
import { findRow, planIn, rowsOf } from '../user-sync/replica-rows.ts'
import { appErrorOf } from './server-mutators.ts'

/** Tables whose rows decide whether a queued message may begin. */
export const queueTables: ReadonlySet<string> = new Set([
  ...['thread', 'queuedMessage', 'usage'],
  // The user's plan, an organization's plan, and the price of the model.
  ...['user', 'userCustomer', 'member', 'organizationCustomer', 'model'],
])

type Queued = RowOf<'queuedMessage'>

const oldestFirst = zql.queuedMessage.orderBy('createdAt', 'asc')

const queuedIn = (engine: Engine): readonly Queued[] => rowsOf(engine, oldestFirst)

export const hasQueue = (engine: Engine): boolean => queuedIn(engine).length > 0

/** At most one of each thread. */
export function dueQueued(engine: Engine, userId: string, nowMs: number): readonly Queued[] {
  const seen = new Set<string>()
  return queuedIn(engine).filter((queued) => {
    const { threadId, hold } = queued
    if (seen.has(threadId)) return false
    seen.add(threadId)
    const thread = findRow(engine, 'thread', threadId)
    if (thread === undefined || thread.deletedAt != null || isBusy(thread)) return false
    return hold == null || (isDailyHold(hold) && isWithinDailyLimits(engine, userId, queued, nowMs))
  })
}

/** When to check messages again that the daily limits hold; null without any. */
export const nextQueueCheckAt = (engine: Engine, userId: string, nowMs: number): number | null =>
  queuedIn(engine).some(({ hold }) => isDailyHold(hold)) ? nextResetAt(userId, nowMs) : null

/** Call under the lock, after rows may have changed. If the source does not answer, the alarm tries again. */
export async function sendQueued(context: UserContext, consumeQueueCheck: () => boolean): Promise<void> {
  // Each message is tried once in a call.
  const tried = new Set<string>()
  while (consumeQueueCheck()) {
    for (const { id } of due(context)) {
      if (tried.has(id)) continue
      tried.add(id)
      if (!(await sendOne(context, id))) return
    }
  }
}

const due = ({ state, userId }: UserContext): readonly Queued[] => dueQueued(state.engine, userId, Date.now())

/** False when the source does not answer. */
async function sendOne(context: UserContext, id: string): Promise<boolean> {
  for (let rereads = 0; due(context).some((queued) => queued.id === id); rereads++) {
    try {
      await begin(context, id)
      return true
    } catch (error) {
      const failure = context.source.failureOf(error)
      const reaction = reactionTo(failure, rereads)
      logger.warn('queued_message_not_sent', { failure: failure.type, reaction: reaction.type })
      if (reaction.type !== 'reread' && reaction.type !== 'refuse') return false
      const mutations = reaction.type === 'refuse' ? [hold(id, reaction.error ?? appErrorOf('internal'))] : []
      const isAnswered = await commit(context, { mutations }).then(
        () => true,
        () => false,
      )
      if (!isAnswered) return false
      if (reaction.type === 'refuse') return true
    }
  }
  return true
}

async function begin(context: UserContext, id: string): Promise<void> {
  const { app, state } = context
  const nowMs = Date.now()
  const mutation = { name: 'queue.send', args: { id, at: nowMs } }
  const outcome = await runServerMutation(context, new Overlay(state.engine, app.tables), mutation, nowMs)
  await commit(context, { mutations: [outcome.type === 'applied' ? { client: null, outcome } : hold(id, outcome.error)] })
}

/** After this the message waits for the user, or for the next day. */
const hold = (id: string, error: AppError): CommittedMutation => ({
  client: null,
  outcome: { type: 'applied', writes: [{ kind: 'update', table: 'queuedMessage', row: { id, hold: codeOf(error) } }], effects: null },
})

const codeOf = ({ details }: AppError): RefusalCode => (isRefusal(details) ? details.code : 'internal')

/** False while a daily limit refuses the message. Only daily limits are checked here; the mutator checks the rest. */
function isWithinDailyLimits(engine: Engine, userId: string, queued: RowOf<'queuedMessage'>, nowMs: number): boolean {
  const model = findRow(engine, 'model', queued.modelId)
  const others = (queued.compareWith ?? []).map(({ modelId }) => findRow(engine, 'model', modelId))
  const usage = findRow(engine, 'usage', userId)
  const plan = planIn(engine, userId, nowMs)
  const refused = turnRefusal({ plan, model, others, usage }, { mode: queued.mode ?? 'chat', files: queued.files ?? [] }, nowMs)
  return refused === null || !isDailyHold(refused.code)
}

/** Chosen. The day begins at once for all users; their objects wake one after the other. */
const spreadMs = 60_000

/** A time in the next UTC day. */
const nextResetAt = (userId: string, nowMs: number): number => nextDayStartMs(nowMs) + (hashOf(userId) % spreadMs)

const hashOf = (text: string): number => [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7)
