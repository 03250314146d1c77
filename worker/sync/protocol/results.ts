/** What became of a refused mutation. A mutation that succeeded has no result: its `lastMutationID` says it all. */
import type { Json } from '../engine/types.ts'
import type { MutationID } from './error.ts'

export type AppError = { readonly error: 'app'; readonly message: string; readonly details?: Json }

/** Downstream: what the client keeps under `m/<client>/<id>` until it has acknowledged it. */
export type MutationOp =
  | { readonly op: 'put'; readonly mutation: { readonly id: MutationID; readonly result: AppError } }
  | { readonly op: 'del'; readonly id: MutationID }
