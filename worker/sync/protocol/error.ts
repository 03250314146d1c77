/** Errors as the client reads them; all but one end the connection. What each kind makes it do: SPEC X3. */

/** Kinds after which the client neither reconnects nor writes until it is told to. */
export type FatalKind =
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

/** Asks the client to come back after a moment. The only answer to a fault that may pass: every other kind stops the client's writes. */
export const comeBack = (message: string): ErrorBody => ({
  kind: 'ServerOverloaded',
  message,
  minBackoffMs: 1000,
  maxBackoffMs: 5000,
  origin: 'zeroCache',
})

export const outOfOrder = (mutationID: MutationID, expected: number): ErrorBody => ({
  kind: 'PushFailed',
  reason: 'oooMutation',
  message: `mutation ${mutationID.id} of client ${mutationID.clientID} came where ${expected} was expected`,
  mutationIDs: [mutationID],
  origin: 'server',
})
