/**
 * What a person may still write, over all their browsers, and when those that were told to wait may try again. The bucket lives in
 * storage, so that sleeping fills nobody's; it is written in the transaction that stores what was taken for.
 */
import type { Meta } from '../state/meta.ts'
import { type Bucket, type BucketLimit, msUntil, refilled } from './token-bucket.ts'

export class MutationQuota {
  readonly #meta: Meta
  readonly #limit: BucketLimit
  /** Undefined until read after a wake. */
  #bucket: Bucket | null | undefined
  #isStored = true

  constructor(meta: Meta, limit: BucketLimit) {
    this.#meta = meta
    this.#limit = limit
  }

  /** How many of the wanted are granted. What was taken is taken, also when nothing comes of it. */
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

  /** When writes that were refused may come again: SPEC R3. `known` is the time that others are waiting for already. */
  reopensAt(refused: number, known: number | null, nowMs: number): number {
    const fullMs = (this.#limit.burst / this.#limit.perSecond) * 1000
    // Kept, so that whoever goes on writing cannot put it off; but never further away than a clock that went back could make it.
    if (known !== null && known <= nowMs + fullMs) return known
    const wanted = Math.max(refused, this.#limit.burst * reopenedShare)
    return nowMs + Math.max(minWaitMs, Math.ceil(msUntil(this.#now(nowMs), wanted, this.#limit)))
  }

  #now(nowMs: number): Bucket {
    if (this.#bucket === undefined) this.#bucket = this.#meta.bucket
    return refilled(this.#bucket, this.#limit, nowMs)
  }
}

/** Ours. A connection that comes back for a single token would come back twenty times a second. */
const reopenedShare = 0.25
const minWaitMs = 50
