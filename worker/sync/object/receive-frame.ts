/** Steps 1 and 2 of a mutation: checks the rate and the size of a frame, and decodes it. An error ends the connection. */
import { type Bucket, type BucketLimit, takeToken } from '../../lib/token-bucket.ts'
import { type ErrorBody, fatal, serverOverloaded } from '../protocol/down.ts'
import { decodeUp, type UpMessage } from '../protocol/up.ts'
import { framesPerMutation } from '../protocol/wire-limits.ts'
import type { Connection } from '../state/connections.ts'

type Receiving = {
  /** True if the rate limit of the connection allows the frame. */
  readonly isAllowed: boolean
  /** True if too many characters wait in the object. */
  readonly isFull: boolean
  readonly maxFrameBytes: number
}

export function receiveFrame(
  frame: string | ArrayBuffer,
  connection: Connection,
  { isAllowed, isFull, maxFrameBytes }: Receiving,
): UpMessage | ErrorBody | 'too-large' {
  if (!isAllowed) return serverOverloaded('too many messages')
  if (isFull) return serverOverloaded('too much is waiting')
  const decoded = decodeUp(frame, maxFrameBytes)
  if (decoded.type === 'too-large') return decoded.type
  if (decoded.type === 'invalid') return fatal('InvalidMessage', decoded.reason)
  const { message } = decoded
  if (connection.expiresAtMs <= Date.now() && message[0] !== 'updateAuth') return fatal('Unauthorized', 'the token is expired')
  return message
}

/** One bucket per socket, in memory. Hibernation drops it; by then it would be full. */
export class FrameLimit {
  readonly #limit: BucketLimit
  readonly #buckets = new WeakMap<WebSocket, Bucket>()

  /** A multiple of the mutation limit. */
  constructor({ burst, perSecond }: BucketLimit) {
    this.#limit = { burst: burst * framesPerMutation, perSecond: perSecond * framesPerMutation }
  }

  allows(socket: WebSocket, nowMs: number): boolean {
    const bucket = takeToken(this.#buckets.get(socket) ?? null, this.#limit, nowMs)
    if (bucket) this.#buckets.set(socket, bucket)
    return bucket !== null
  }
}
