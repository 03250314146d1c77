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
