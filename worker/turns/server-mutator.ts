/** How the server defines its half of a mutator. `server-mutators.ts` has all of them, at the paths of the contract's. */
import { defineMutatorWithType, type MutatorDefinition, type ReadonlyJSONValue } from '@rocicorp/zero'
import type { Tx } from '../contract/mutator-rules.ts'
import type { Schema } from '../contract/schema.ts'
import type { RequestedTurn, Reservation } from '../db/turns.ts'
import { must } from '../lib/assert.ts'
import type { RowWrite } from '../sync/pull/source.ts'

export type OpenedTurn = { readonly turn: RequestedTurn; readonly reservation: Reservation }

export type ServerContext = {
  readonly userId: string
  readonly nowMs: number
  /** Grows while the mutator runs. */
  readonly writes: readonly RowWrite[]
  /** The price of a credit. */
  readonly creditMicroDollars: number
  /** The turns that the mutation opens; a comparison opens several. */
  readonly opened: OpenedTurn[]
}

/** Defines a mutator that only the server runs. */
export const defineServerMutator = defineMutatorWithType<Schema, ServerContext>()

type Options<Args> = {
  readonly tx: Tx
  readonly args: Args
  readonly ctx: ServerContext
  /** Runs the contract's mutator, which refuses what the user may not do. */
  readonly run: () => Promise<void>
}

/** Defines the server's half of a mutator of the contract: the contract's mutator, with effects that only the server has. */
export const extend = <Input extends ReadonlyJSONValue, Output extends ReadonlyJSONValue>(
  { validator, fn }: MutatorDefinition<Input, Output>,
  half: (options: Options<Output>) => Promise<void>,
) => defineServerMutator(must(validator, 'a schema of the arguments'), (options) => half({ ...options, run: () => fn(options) }))
