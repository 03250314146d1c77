/**
 * The mutation limit of one user, over all browsers, and the time at which limited clients may retry. The bucket is in storage, so that
 * hibernation does not refill it; it is written in the transaction of the mutations that took from it.
 */

import { type Bucket, type BucketLimit, msUntil, refilled, retryShare } from '../../lib/token-bucket.ts'
import type { Meta } from './meta.ts'

export class MutationRateLimiter {
  readonly #meta: Meta
  readonly #limit: BucketLimit
  /** Undefined until read after a wake. */
  #bucket: Bucket | null | undefined
  #isStored = true

  constructor(meta: Meta, limit: BucketLimit) {
    this.#meta = meta
    this.#limit = limit
  }

  /** The number of granted mutations. Taken tokens are not returned, even if a mutation fails. */
  take(wanted: number, nowMs: number): number {
    const bucket = this.#now(nowMs)
    const granted = Math.min(wanted, Math.floor(bucket.tokens))
    this.#bucket = { ...bucket, tokens: bucket.tokens - granted }
    this.#isStored = false
    return granted
  }

  /** Call inside a storage transaction. */
  store(): void {
    if (this.#isStored || !this.#bucket) return
    this.#meta.bucket = this.#bucket
    this.#isStored = true
  }

  /** When limited mutations may be sent again (SPEC R3). `scheduledAt`: the time that is already set. */
  retryAt(refused: number, scheduledAt: number | null, nowMs: number): number {
    const fullMs = (this.#limit.burst / this.#limit.perSecond) * 1000
    // An existing time stays, so that more refusals do not move it, but at most the time to fill the bucket, in case the clock moved back.
    if (scheduledAt !== null && scheduledAt <= nowMs + fullMs) return scheduledAt
    const wanted = Math.max(refused, this.#limit.burst * retryShare)
    return nowMs + Math.max(minWaitMs, Math.ceil(msUntil(this.#now(nowMs), wanted, this.#limit)))
  }

  #now(nowMs: number): Bucket {
    if (this.#bucket === undefined) this.#bucket = this.#meta.bucket
    return refilled(this.#bucket, this.#limit, nowMs)
  }
}

/** Chosen: the shortest wait of a limited connection. */
const minWaitMs = 50
