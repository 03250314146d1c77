/** The checks of a connect, in the order of SPEC C2. Pure. */

import type { Version } from '../engine/types.ts'
import { decodeCookie } from '../engine/versions.ts'
import { type ErrorBody, fatal } from '../protocol/down.ts'
import type { InitConnection } from '../protocol/up.ts'

export type ConnectState = {
  /** True if the session of the token still exists. */
  readonly isSignedIn: boolean
  readonly baseCookie: string | null
  /** The last mutation that the client saw confirmed. */
  readonly lmid: number
  /** The last mutation that was applied. */
  readonly lastMutationID: number
  readonly version: Version
  readonly floor: Version
  /** True if the object has stored the group. */
  readonly isKnown: boolean
  /** True if the source has progress of the group. */
  readonly isRecorded: boolean
  /** True if the group's client schema is stored. */
  readonly hasSchema: boolean
  /** Absent if it is sent as a separate message. */
  readonly init: InitConnection | undefined
}

export type ConnectVerdict =
  | { readonly type: 'accept' }
  /** The object lost an existing group: the client deletes its rows and sends its queries again. */
  | { readonly type: 'start-over' }
  | { readonly type: 'refuse'; readonly error: ErrorBody }

const refuse = (...error: Parameters<typeof fatal>): ConnectVerdict => ({ type: 'refuse', error: fatal(...error) })

export function checkConnect(state: ConnectState): ConnectVerdict {
  const { baseCookie, isKnown } = state
  if (!state.isSignedIn) return refuse('Unauthorized', 'the session has ended')
  const isReal = isKnown || state.isRecorded || isFromWipedReplica(state)
  if (!isReal && baseCookie !== null) return refuse('ClientNotFound', 'the server does not know this client group')
  if (!state.hasSchema && baseCookie === null && state.init && !state.init.clientSchema) {
    return refuse('InvalidConnectionRequest', 'a new client group must send its schema')
  }
  if (baseCookie !== null) {
    const version = decodeCookie(baseCookie)
    if (version === null || version > state.version)
      return refuse('InvalidConnectionRequestBaseCookie', 'the cookie is ahead of the server')
  }
  if (state.lmid > state.lastMutationID)
    return refuse('InvalidConnectionRequestLastMutationID', 'the client has seen mutations that the server has not')
  return { type: !isKnown && baseCookie !== null ? 'start-over' : 'accept' }
}

/**
 * A group that never wrote has no progress in the source. Its cookie below the floor is the only evidence that it existed.
 */
function isFromWipedReplica({ baseCookie, lmid, floor }: ConnectState): boolean {
  const version = baseCookie === null ? null : decodeCookie(baseCookie)
  return version !== null && version > 0 && version < floor && lmid === 0
}
