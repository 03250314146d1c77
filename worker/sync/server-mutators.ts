/**
 * What the contract's mutators leave to the server: a turn reserves its credits and opens its generation in the same batch as the
 * message that asked for it. It runs after the mutator, which has refused already whatever this person may not do.
 */
import { creditsFor, dayOf, planOf } from '../contract/access.ts'
import { refuse } from '../contract/errors.ts'
import { creditsPerDay } from '../contract/limits.ts'
import { answerArgs, sendArgs } from '../contract/mutators.ts'
import { zql } from '../contract/schema.ts'
import type { Reservation, Turn } from '../db/turns.ts'
import type { Json } from './engine/types.ts'
import type { ServerTx } from './server-transaction.ts'

export type OpenedTurn = { readonly turn: Turn; readonly reservation: Reservation }

/** The turn that a mutation by this name opens; null for every other mutation. */
export async function openTurn(
  tx: ServerTx,
  name: string,
  args: Json | undefined,
  userId: string,
  nowMs: number,
): Promise<OpenedTurn | null> {
  const turn = turnOf(name, args)
  if (!turn) return null
  // The answer will be written under this id; a message that has it already would stand in its way for ever.
  if (await tx.run(zql.message.where('id', turn.generationId).one())) throw refuse('invalid_request')
  return { turn, reservation: await reservationFor(tx, turn.modelId, userId, nowMs) }
}

export const opensTurn = (name: string): boolean => name === 'threads.send' || name === 'threads.answer'

function turnOf(name: string, args: Json | undefined): Turn | null {
  switch (name) {
    case 'threads.send': {
      const { answerId, threadId, messageId, modelId } = sendArgs.parse(args)
      return { generationId: answerId, threadId, parentId: messageId, modelId, continueId: null }
    }
    case 'threads.answer': {
      const { answerId, threadId, parentId, modelId, continueId } = answerArgs.parse(args)
      return { generationId: answerId, threadId, parentId, modelId, continueId: continueId ?? null }
    }
    default:
      return null
  }
}

async function reservationFor(tx: ServerTx, modelId: string, userId: string, nowMs: number): Promise<Reservation> {
  const model = await tx.run(zql.model.where('id', modelId).one())
  if (!model) throw refuse('no_model')
  const user = await tx.run(zql.user.where('id', userId).one())
  const usage = await tx.run(zql.usage.where('userId', userId).one())
  const customer = await tx.run(zql.userCustomer.where('userId', userId).one())
  const plan = planOf({ isAnonymous: user?.isAnonymous, subscription: customer?.subscription }, nowMs)
  return {
    credits: creditsFor(model),
    // A counter ahead of this machine's clock is right: days never go back.
    day: Math.max(dayOf(nowMs), usage?.day ?? 0),
    dailyLimit: creditsPerDay[plan],
  }
}
