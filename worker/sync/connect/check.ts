/** May this client connect, and how? Pure; the order of the checks is SPEC C2. */
import { decodeCookie } from '../engine/cookie.ts'
import type { Version } from '../engine/types.ts'
import { type ErrorBody, fatal } from '../protocol/error.ts'
import type { InitConnection } from '../protocol/init-connection.ts'

export type ConnectFacts = {
  /** Whether the session that the token was made for still exists. */
  readonly isSignedIn: boolean
  readonly baseCookie: string | null
  /** The last mutation the client saw confirmed, and the last one applied. */
  readonly lmid: number
  readonly lastMutationID: number
  readonly version: Version
  readonly floor: Version
  /** Whether this object knows the group, and whether the record has heard of it. */
  readonly isKnown: boolean
  readonly isRecorded: boolean
  /** Whether its tables are known here. */
  readonly hasSchema: boolean
  /** Absent when it comes as a message of its own. */
  readonly init: InitConnection | undefined
}

export type ConnectVerdict =
  | { readonly type: 'accept' }
  /** The object has forgotten a group that is real: the client must forget too, and ask again. */
  | { readonly type: 'start-over' }
  | { readonly type: 'refuse'; readonly error: ErrorBody }

const refuse = (...error: Parameters<typeof fatal>): ConnectVerdict => ({ type: 'refuse', error: fatal(...error) })

export function checkConnect(facts: ConnectFacts): ConnectVerdict {
  const { baseCookie, isKnown } = facts
  if (!facts.isSignedIn) return refuse('Unauthorized', 'the session has ended')
  const isReal = isKnown || facts.isRecorded || isFromEarlierLife(facts)
  if (!isReal && baseCookie !== null) return refuse('ClientNotFound', 'the server does not know this client group')
  if (!facts.hasSchema && baseCookie === null && facts.init && !facts.init.clientSchema) {
    return refuse('InvalidConnectionRequest', 'a new client group must send its schema')
  }
  if (baseCookie !== null) {
    const version = decodeCookie(baseCookie)
    if (version === null || version > facts.version)
      return refuse('InvalidConnectionRequestBaseCookie', 'the cookie is ahead of the server')
  }
  if (facts.lmid > facts.lastMutationID)
    return refuse('InvalidConnectionRequestLastMutationID', 'the client has seen mutations that the server has not')
  return { type: !isKnown && baseCookie !== null ? 'start-over' : 'accept' }
}

/** A group that has never written stands in no record. Its cookie, of an object that has lost its storage since, is all that speaks for it. */
function isFromEarlierLife({ baseCookie, lmid, floor }: ConnectFacts): boolean {
  const version = baseCookie === null ? null : decodeCookie(baseCookie)
  return version !== null && version > 0 && version < floor && lmid === 0
}
