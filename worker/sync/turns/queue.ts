/**
 * Messages that waited for an answer become turns by themselves, derived from rows alone: a ready thread and an oldest queued message
 * that nothing holds are a turn to begin. Everybody who changed rows asks here; whoever asks too often finds nothing due.
 *
 * One batch deletes the queued row and writes the turn, guarded by that row, so it happens once whoever tries and however often.
 * What the day's limits hold is due again when there is room (`daily-hold.ts`), and what is being changed when that is over; every other
 * hold waits for the person.
 */
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { isDailyHold } from '../../contract/access.ts'
import { isRefusal, type RefusalCode } from '../../contract/errors.ts'
import { editorsLapseAt, isBeingEdited } from '../../contract/queue-editors.ts'
import { type RowOf, zql } from '../../contract/schema.ts'
import { classifyD1Error } from '../../db/errors.ts'
import { logger } from '../../lib/logger.ts'
import type { Engine } from '../engine/types.ts'
import { reactionTo } from '../push/failure.ts'
import { Overlay } from '../push/overlay.ts'
import { type Outcome, runMutation } from '../push/run-mutation.ts'
import { appliedStatements } from '../push/statements.ts'
import { syncedTables } from '../synced-tables.ts'
import type { UserContext } from '../user-context.ts'
import { hasRoom, nextResetAt } from './daily-hold.ts'

/** Whose rows decide what the queue may begin. */
export const queueTables: ReadonlySet<string> = new Set([
  ...['thread', 'queuedMessage', 'usage'],
  // The plan, a person's own or an organization's, and what the model asks for.
  ...['user', 'userCustomer', 'member', 'organizationCustomer', 'model'],
])

type Queued = RowOf<'queuedMessage'>

const oldestFirst = asQueryInternals(zql.queuedMessage.orderBy('createdAt', 'asc')).ast

/** The engine's rows are those of the contract's tables. */
const queuedIn = (engine: Engine): readonly Queued[] => engine.run(oldestFirst) as unknown as Queued[]

export const hasQueue = (engine: Engine): boolean => queuedIn(engine).length > 0

/** At most one of each thread. */
export function dueQueued(engine: Engine, userId: string, nowMs: number): readonly Queued[] {
  const seen = new Set<string>()
  return queuedIn(engine).filter((queued) => {
    const { threadId, hold, editors } = queued
    if (seen.has(threadId)) return false
    seen.add(threadId)
    const thread = engine.get('thread', { id: threadId }) as unknown as RowOf<'thread'> | undefined
    if (thread === undefined || thread.deletedAt != null || (thread.status ?? 'ready') !== 'ready') return false
    if (isBeingEdited(editors, nowMs)) return false
    return hold == null || (isDailyHold(hold) && hasRoom(engine, userId, queued, nowMs))
  })
}

/** When to look again after messages that the day's limits hold, or that somebody is changing; null when there are none. */
export function nextLookAt(engine: Engine, userId: string, nowMs: number): number | null {
  const queue = queuedIn(engine)
  const lapses = queue.flatMap(({ editors }) => editorsLapseAt(editors, nowMs))
  const times = queue.some(({ hold }) => isDailyHold(hold)) ? [...lapses, nextResetAt(userId, nowMs)] : lapses
  return times.length > 0 ? Math.min(...times) : null
}

/** Call under the lock, after rows may have changed. What D1 does not take now is tried again by the alarm. */
export async function runQueue(context: UserContext): Promise<void> {
  // Once in a call is enough, whatever the record and the replica make of each other.
  const tried = new Set<string>()
  while (context.takeQueueHint()) {
    for (const { id } of due(context)) {
      if (tried.has(id)) continue
      tried.add(id)
      if (!(await start(context, id))) return
    }
  }
}

const due = ({ state, userId }: UserContext): readonly Queued[] => dueQueued(state.engine, userId, Date.now())

/** False when D1 does not answer. */
async function start(context: UserContext, id: string): Promise<boolean> {
  for (let rereads = 0; due(context).some((queued) => queued.id === id); rereads++) {
    try {
      await begin(context, id)
      return true
    } catch (error) {
      const failure = classifyD1Error(error)
      const reaction = reactionTo(failure, rereads)
      logger.warn('queued message not sent', { kind: failure.kind, reaction: reaction.type })
      if (reaction.type !== 'reread' && reaction.type !== 'refuse') return false
      const statements = reaction.type === 'refuse' ? [holdStatement(context, id, reaction.code)] : []
      const isAnswered = await context.commit({ statements }).then(
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
  const { record, state, userId } = context
  const nowMs = Date.now()
  const overlay = new Overlay(state.engine, syncedTables)
  const mutation = { type: 'custom' as const, id: 0, clientID: '', name: 'queue.send', args: [{ id, at: nowMs }] }
  const outcome = await runMutation(overlay, mutation, userId, nowMs)
  const isApplied = outcome.type === 'applied'
  // Before the batch: should this object die between D1's commit and its own, the alarm finds the turn.
  if (isApplied) await context.expectTurn()
  const statements = isApplied ? appliedStatements(record.content, userId, outcome, nowMs) : [holdStatement(context, id, codeOf(outcome))]
  await context.commit({ statements, opensTurns: isApplied })
}

const codeOf = ({ error }: Extract<Outcome, { type: 'refused' }>): RefusalCode =>
  isRefusal(error.details) ? error.details.code : 'internal'

/** From here on it waits for the person, or for the next day. */
const holdStatement = ({ record, userId }: UserContext, id: string, code: RefusalCode): D1PreparedStatement =>
  record.content.prepare('update queuedMessage set hold = ? where id = ? and userId = ?').bind(code, id, userId)
