/**
 * One mutation, run on a fork of the overlay: what it wants to write, or why it is refused. Nothing a mutation does can stop the ones
 * behind it: an exception that nobody expected is a refusal too, because the client would send it again for ever.
 */
import { ApplicationError, getMutator, InputValidationError, isMutator } from '@rocicorp/zero'
import { isRefusal, type Refusal, type RefusalCode, refusal } from '../../contract/errors.ts'
import { mutators } from '../../contract/mutators.ts'
import type { Schema } from '../../contract/schema.ts'
import type { RowWrite } from '../../db/writes.ts'
import { logger } from '../../lib/logger.ts'
import type { Json } from '../engine/types.ts'
import type { CustomMutation } from '../protocol/push.ts'
import type { AppError } from '../protocol/results.ts'
import { askedTurn, type OpenedTurn, openTurn } from '../server-mutators.ts'
import { beginTransaction } from '../server-transaction.ts'
import type { Overlay } from './overlay.ts'

export type Outcome =
  | { readonly type: 'applied'; readonly writes: readonly RowWrite[]; readonly opened: OpenedTurn | null }
  | { readonly type: 'refused'; readonly error: AppError }

export async function runMutation(overlay: Overlay, mutation: CustomMutation, userId: string, nowMs: number): Promise<Outcome> {
  const { name, clientID, id, args } = mutation
  const mutator: unknown = getMutator(mutators, name)
  // A path may also lead to a folder of mutators, or to what every object inherits.
  if (!isMutator<Schema>(mutator) || mutator.mutatorName !== name) return refusedWith('invalid_request')
  const fork = overlay.fork()
  const { tx, writes } = beginTransaction({ overlay: fork, userId, clientID, mutationID: id })
  try {
    const asked = await askedTurn(tx, name, args[0])
    await mutator.fn({ tx, args: args[0] ?? undefined, ctx: { userId, nowMs } })
    // What was asked for twice wrote nothing the second time, and is the turn that it was.
    const opened = asked && writes.length > 0 ? await openTurn(tx, asked, userId, nowMs) : null
    overlay.keep(fork)
    return { type: 'applied', writes, opened }
  } catch (error) {
    return { type: 'refused', error: appErrorOf(error, name) }
  }
}

export const refusedWith = (code: RefusalCode): Outcome => ({ type: 'refused', error: errorFrom(refusal(code)) })

const errorFrom = (reason: Refusal): AppError => ({ error: 'app', message: reason.message, details: reason })

function appErrorOf(error: unknown, name: string): AppError {
  if (error instanceof ApplicationError) {
    // Details come from the contract's own refusals and are JSON.
    const details = error.details as Json | undefined
    return { error: 'app', message: error.message, ...(details === undefined ? {} : { details }) }
  }
  if (error instanceof InputValidationError) return errorFrom(refusal(refusalIn(error) ?? 'invalid_request'))
  logger.error('mutation failed', error, { name })
  return errorFrom(refusal('internal'))
}

/** A schema of the contract may name a refusal as its message. */
function refusalIn(error: InputValidationError): RefusalCode | undefined {
  const { issues = [] } = error.result as { readonly issues?: readonly { readonly message: string }[] }
  for (const { message } of issues) {
    const named = { code: message }
    if (isRefusal(named)) return named.code
  }
  return undefined
}
