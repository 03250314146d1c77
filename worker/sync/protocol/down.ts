/** Everything this server can say. The client checks each message and is lost when one is wrong, so this list is all there is. */
import type { RowOp } from '../engine/types.ts'
import type { ErrorBody } from './error.ts'
import type { QueryOp } from './queries-patch.ts'
import type { MutationOp } from './results.ts'

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
