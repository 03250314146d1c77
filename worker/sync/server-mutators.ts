/**
 * What the contract's mutators leave to the server: a turn reserves its credits and opens its generation in the same batch as the
 * message that asked for it. It runs after the mutator, which has refused already whatever this person may not do.
 */
import { creditsFor, dayOf } from '../contract/access.ts'
import { effortFor } from '../contract/effort.ts'
import { refuse } from '../contract/errors.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../contract/limits.ts'
import { planFor } from '../contract/mutator-rules.ts'
import { answerArgs, sendArgs } from '../contract/mutators.ts'
import { queueSendArgs } from '../contract/queue-mutators.ts'
import { startResearchArgs } from '../contract/research-mutators.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { searchesFor } from '../contract/tools.ts'
import type { Reservation, Turn } from '../db/turns.ts'
import type { Json } from './engine/types.ts'
import type { ServerTx } from './server-transaction.ts'

export type OpenedTurn = { readonly turn: Turn; readonly reservation: Reservation }

/** The turn that a mutation opens, after it ran; null when what it asked for waits in the queue instead. */
export async function openTurn(tx: ServerTx, asked: Turn, userId: string, nowMs: number): Promise<OpenedTurn | null> {
  const thread = await tx.run(zql.thread.where('id', asked.threadId).one())
  if (thread?.streamId !== asked.generationId) return null
  // The answer will be written under this id; a message that has it already would stand in its way for ever.
  if (await tx.run(zql.message.where('id', asked.generationId).one())) throw refuse('invalid_request')
  const model = await tx.run(zql.model.where('id', asked.modelId).one())
  if (!model) throw refuse('no_model')
  const turn: Turn = { ...asked, effort: effortFor(model, asked.effort ?? thread.effort) }
  return { turn, reservation: await reservationFor(tx, model, turn, userId, nowMs) }
}

const openers: ReadonlySet<string> = new Set(['threads.send', 'threads.answer', 'queue.send', 'research.start'])
export const opensTurn = (name: string): boolean => openers.has(name)

/**
 * What a mutation asks for, before thread and model had their say in the effort. To be called before it runs: a queued message is gone
 * afterwards. Null when it asks for no answer, and for arguments that the mutator will refuse.
 */
export async function askedTurn(tx: ServerTx, name: string, args: Json | undefined): Promise<Turn | null> {
  switch (name) {
    case 'threads.send': {
      const parsed = sendArgs.safeParse(args)
      if (!parsed.success) return null
      const { answerId, threadId, messageId, modelId, mode = 'chat' } = parsed.data
      return { generationId: answerId, threadId, parentId: messageId, modelId, mode, continueId: null, effort: null, queuedId: null }
    }
    case 'threads.answer': {
      const parsed = answerArgs.safeParse(args)
      if (!parsed.success) return null
      const { answerId, threadId, parentId, modelId, mode = 'chat', continueId } = parsed.data
      return { generationId: answerId, threadId, parentId, modelId, mode, continueId: continueId ?? null, effort: null, queuedId: null }
    }
    case 'research.start': {
      const parsed = startResearchArgs.safeParse(args)
      const plan = parsed.success ? await tx.run(zql.message.where('id', parsed.data.messageId).one()) : undefined
      if (!parsed.success || plan?.parentId == null) return null
      const { answerId, threadId, messageId, modelId } = parsed.data
      const { parentId } = plan
      return { generationId: answerId, threadId, parentId, modelId, mode: 'research', continueId: messageId, effort: null, queuedId: null }
    }
    case 'queue.send': {
      const parsed = queueSendArgs.safeParse(args)
      const id = parsed.data?.id
      const queued = id && (await tx.run(zql.queuedMessage.where('id', id).one()))
      if (!queued) return null
      const { answerId, threadId, modelId, mode, effort = null } = queued
      return { generationId: answerId, threadId, parentId: id, modelId, mode: mode ?? 'chat', continueId: null, effort, queuedId: id }
    }
    default:
      return null
  }
}

async function reservationFor(
  tx: ServerTx,
  model: RowOf<'model'>,
  { mode, continueId }: Turn,
  userId: string,
  nowMs: number,
): Promise<Reservation> {
  const usage = await tx.run(zql.usage.where('userId', userId).one())
  const plan = await planFor(tx, { userId }, nowMs)
  const cut = continueId === null ? undefined : await tx.run(zql.message.where('id', continueId).one())
  return {
    credits: creditsFor(model),
    // A counter ahead of this machine's clock is right: days never go back.
    day: Math.max(dayOf(nowMs), usage?.day ?? 0),
    dailyLimit: creditsPerDay[plan],
    search: mode === 'search' ? searchesFor(cut?.message.parts) : 0,
    searchLimit: searchesPerDay[plan],
    research: mode === 'research' ? 1 : 0,
    researchLimit: researchesPerDay[plan],
  }
}
