/**
 * Step 3 of a mutation: runs mutators on the replica and on what the same batch has written before them. Returns the writes or the refusal
 * of each mutation. An unexpected exception is a refusal too, because the client would send the mutation again for ever.
 */
import { ApplicationError, getMutator, InputValidationError, isMutator } from '@rocicorp/zero'
import { logger } from '../../lib/logger.ts'
import type { Json } from '../engine/types.ts'
import type { MutatorCall, SyncApp } from '../object/app.ts'
import type { UserContext } from '../object/context.ts'

import type { CustomMutation } from '../protocol/up.ts'
import { maxBatchChars } from '../protocol/wire-limits.ts'
import type { Outcome } from '../pull/source.ts'
import { Overlay } from './overlay.ts'
import type { PushedMutation } from './pending.ts'
import { beginTransaction } from './transaction.ts'

export type RunMutation = { readonly pushed: PushedMutation; readonly outcome: Outcome }

export class UnknownMutatorError extends Error {
  override readonly name = 'UnknownMutatorError'
}

/** Runs mutations until one commit is full, at least one. */
export async function applyMutators(
  { app, state, source, userId }: UserContext,
  due: readonly PushedMutation[],
  nowMs: number,
): Promise<readonly RunMutation[]> {
  const overlay = new Overlay(state.engine, state.config.tables)
  const budget = app.budget?.(state.engine, userId, nowMs)
  const run: RunMutation[] = []
  let [chars, statements] = [0, 0]
  for (const pushed of due) {
    const error = budget?.refusalOf(pushed.mutation.name) ?? null
    const outcome: Outcome = error ? { type: 'refused', error } : await runMutation(app, overlay, pushed.mutation, userId, nowMs)
    chars += outcome.type === 'applied' ? charsIn(outcome.writes.map(({ row }) => row)) : 0
    statements += source.statementsIn(outcome)
    if (run.length > 0 && (chars > maxBatchChars || statements > source.maxStatements)) break
    run.push({ pushed, outcome })
  }
  return run
}

export type MutatorApp = Pick<SyncApp, 'tables' | 'mutators' | 'checkWrite' | 'runMutator' | 'refusalOf'>

/** A refused mutation leaves nothing in the overlay. */
export async function runMutation(
  app: MutatorApp,
  overlay: Overlay,
  mutation: Pick<CustomMutation, 'name' | 'clientID' | 'id' | 'args'>,
  userId: string,
  nowMs: number,
): Promise<Outcome> {
  const { name, clientID, id, args } = mutation
  // Zero's parameter is generic in the definitions of one registry.
  const mutator: unknown = getMutator(app.mutators as Parameters<typeof getMutator>[0], name)
  // A path may also lead to a group of mutators, or to an inherited property.
  if (!isMutator(mutator) || mutator.mutatorName !== name) return refusedBy(app, new UnknownMutatorError(name))
  const fork = overlay.fork()
  const { tx, writes } = beginTransaction({ overlay: fork, userId, clientID, mutationID: id, app })
  try {
    const effects = await (app.runMutator ?? runPlain)({ mutator, tx, args: args[0] ?? undefined, userId, nowMs, writes })
    overlay.merge(fork)
    return { type: 'applied', writes, effects: effects ?? null }
  } catch (error) {
    if (!(error instanceof ApplicationError || error instanceof InputValidationError)) logger.error('mutation_failed', error, { name })
    return refusedBy(app, error)
  }
}

const runPlain = ({ mutator, tx, args, userId, nowMs }: MutatorCall) => mutator.fn({ tx, args, ctx: { userId, nowMs } })

/** A mutation of the server itself: no client sent it, and no client receives its result. */
export const runServerMutation = (
  { app, userId }: UserContext,
  overlay: Overlay,
  { name, args }: { readonly name: string; readonly args: Json },
  nowMs: number,
): Promise<Outcome> => runMutation(app, overlay, { id: 0, clientID: '', name, args: [args] }, userId, nowMs)

export const refusedBy = (app: Pick<SyncApp, 'refusalOf'>, error: unknown): Outcome => ({ type: 'refused', error: app.refusalOf(error) })

/** In the texts of a value, at any depth. */
function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  for (const part of Object.values(value)) chars += charsIn(part)
  return chars
}
