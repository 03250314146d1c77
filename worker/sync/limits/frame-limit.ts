/**
 * How many frames one connection may send: a bucket in memory per socket. An object that sleeps has had ten seconds of silence, in which
 * every bucket would have filled anyway.
 */
import { framesPerMutation } from '../protocol/limits.ts'
import { type Bucket, type BucketLimit, refilled } from './token-bucket.ts'

export class FrameLimit {
  readonly #limit: BucketLimit
  readonly #buckets = new WeakMap<WebSocket, Bucket>()

  /** Follows the limit of mutations, which travel one in a frame. */
  constructor({ burst, perSecond }: BucketLimit) {
    this.#limit = { burst: burst * framesPerMutation, perSecond: perSecond * framesPerMutation }
  }

  allows(socket: WebSocket, nowMs: number): boolean {
    const bucket = refilled(this.#buckets.get(socket) ?? null, this.#limit, nowMs)
    if (bucket.tokens < 1) return false
    this.#buckets.set(socket, { ...bucket, tokens: bucket.tokens - 1 })
    return true
  }
}
