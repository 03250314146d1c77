/** Every message that the server sends. The client validates each one and stops syncing when one is malformed. */
import type { Json, RowOp } from '../engine/types.ts'
import type { ErrorBody, MutationID } from './error.ts'

/** Stored by the client under `d/<client>/<hash>` and `g/<hash>`. */
export type QueryOp = { readonly op: 'put'; readonly hash: string; readonly ttl?: number } | { readonly op: 'del'; readonly hash: string }

/** The result of a refused mutation. A mutation that succeeded has no result, only its `lastMutationID`. */
export type AppError = { readonly error: 'app'; readonly message: string; readonly details?: Json }

/** Stored by the client under `m/<client>/<id>` until it acknowledges it. */
export type MutationOp =
  | { readonly op: 'put'; readonly mutation: { readonly id: MutationID; readonly result: AppError } }
  | { readonly op: 'del'; readonly id: MutationID }

export type PokePart = {
  readonly lastMutationIDChanges?: { readonly [clientID: string]: number }
  readonly desiredQueriesPatches?: { readonly [clientID: string]: readonly QueryOp[] }
  readonly gotQueriesPatch?: readonly QueryOp[]
  readonly rowsPatch?: readonly (RowOp | { readonly op: 'clear' })[]
  readonly mutationsPatch?: readonly MutationOp[]
}

export type QueryError = {
  readonly error: 'app' | 'parse'
  readonly id: string
  readonly name: string
  readonly message: string
}

export type DownMessage =
  | readonly ['connected', { readonly wsid: string; readonly timestamp: number }]
  | readonly ['error', ErrorBody]
  | readonly ['pong', Record<string, never>]
  | readonly ['pokeStart', { readonly pokeID: string; readonly baseCookie: string | null }]
  | readonly ['pokePart', PokePart & { readonly pokeID: string }]
  | readonly ['pokeEnd', { readonly pokeID: string; readonly cookie: string }]
  | readonly ['transformError', readonly QueryError[]]
  | readonly ['deleteClients', { readonly clientIDs: readonly string[] }]
  | readonly ['pull', PullResponse]
  | readonly ['inspect', { readonly id: string; readonly op: 'error'; readonly value: string }]

type PullResponse = {
  readonly cookie: string
  readonly requestID: string
  readonly lastMutationIDChanges: { readonly [clientID: string]: number }
}

export const encodeDown = (message: DownMessage): string => JSON.stringify(message)
