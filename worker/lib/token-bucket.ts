/** A token bucket as a value: the tokens left and the time. Pure. Rule R5 defines what happens when a clock jumps. */

export type BucketLimit = { readonly burst: number; readonly perSecond: number }
/** Chosen: refused clients wait until this share of a bucket is filled, so that they do not return one token at a time. */
export const retryShare = 0.25

export type Bucket = { readonly tokens: number; readonly atMs: number }

/**
 * The bucket at `nowMs`; null is a full bucket. If the clock moved backwards, no token is added or removed and refilling continues from the
 * new time. If it jumped forward, the bucket is at most full.
 */
export function refilled(bucket: Bucket | null, { burst, perSecond }: BucketLimit, nowMs: number): Bucket {
  if (bucket === null) return { tokens: burst, atMs: nowMs }
  const elapsedMs = Math.max(0, nowMs - bucket.atMs)
  return { tokens: Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000), atMs: nowMs }
}

/** The bucket without one token. Null if it has no token. */
export function takeToken(bucket: Bucket | null, limit: BucketLimit, nowMs: number): Bucket | null {
  const { tokens, atMs } = refilled(bucket, limit, nowMs)
  return tokens < 1 ? null : { tokens: tokens - 1, atMs }
}

/** The time until this bucket has the given tokens, at most the time to fill it. */
export function msUntil({ tokens }: Bucket, wanted: number, { burst, perSecond }: BucketLimit): number {
  return Math.max(0, ((Math.min(wanted, burst) - tokens) / perSecond) * 1000)
}
