/** Every message that the server sends. The client validates each one and stops syncing when one is malformed. */
import type { Json, RowOp } from '../engine/types.ts'

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

/** Errors as the client reads them; all but one end the connection. What each kind makes it do: SPEC X3. */

/** Kinds after which the client neither reconnects nor writes until the application continues it. */
type FatalKind =
  | 'ClientNotFound'
  | 'InvalidConnectionRequest'
  | 'InvalidConnectionRequestBaseCookie'
  | 'InvalidConnectionRequestLastMutationID'
  | 'InvalidMessage'
  | 'InvalidPush'
  | 'SchemaVersionNotSupported'
  | 'Unauthorized'
  | 'VersionNotSupported'

export type MutationID = { readonly clientID: string; readonly id: number }

export type ErrorBody =
  | { readonly kind: FatalKind; readonly message: string; readonly origin: 'zeroCache' }
  /** The only kind that does not end the connection. */
  | { readonly kind: 'MutationRateLimited'; readonly message: string; readonly origin: 'zeroCache' }
  | {
      readonly kind: 'ServerOverloaded'
      readonly message: string
      readonly minBackoffMs: number
      readonly maxBackoffMs: number
      readonly origin: 'zeroCache'
    }
  | {
      readonly kind: 'PushFailed'
      readonly message: string
      readonly reason: 'oooMutation'
      readonly mutationIDs: readonly MutationID[]
      /** The client's schema allows this reason from a 'server' only. */
      readonly origin: 'server'
    }

export const fatal = (kind: FatalKind, message: string): ErrorBody => ({ kind, message, origin: 'zeroCache' })

export const mutationRateLimited: ErrorBody = {
  kind: 'MutationRateLimited',
  message: 'too many writes at once; they are kept and accepted in a moment',
  origin: 'zeroCache',
}

/** Chosen: the client waits 5 s by default, and at least this long. */
const minBackoffMs = 1000
const maxBackoffMs = 5000

/** The client reconnects after at least `waitMs`. The only kind for transient faults: every other kind stops the client's writes. */
export const serverOverloaded = (message: string, waitMs = 0): ErrorBody => {
  const backoffMs = Math.max(minBackoffMs, Math.ceil(waitMs))
  return {
    kind: 'ServerOverloaded',
    message,
    minBackoffMs: backoffMs,
    maxBackoffMs: Math.max(maxBackoffMs, backoffMs),
    origin: 'zeroCache',
  }
}

export const outOfOrder = (mutationID: MutationID, expected: number): ErrorBody => ({
  kind: 'PushFailed',
  reason: 'oooMutation',
  message: `mutation ${mutationID.id} of client ${mutationID.clientID} came where ${expected} was expected`,
  mutationIDs: [mutationID],
  origin: 'server',
})
