/** A token bucket as a value: what was left, and when. Pure; rule R5 says what a clock that jumps may and may not do to it. */

export type BucketLimit = { readonly burst: number; readonly perSecond: number }
export type Bucket = { readonly tokens: number; readonly atMs: number }

/**
 * The bucket now; null is one that nobody has taken from. A clock that went back adds nothing and takes nothing away: the bucket goes on
 * filling from the new time. One that leapt forward fills it, and a full bucket is all there ever is.
 */
export function refilled(bucket: Bucket | null, { burst, perSecond }: BucketLimit, nowMs: number): Bucket {
  if (bucket === null) return { tokens: burst, atMs: nowMs }
  const elapsedMs = Math.max(0, nowMs - bucket.atMs)
  return { tokens: Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000), atMs: nowMs }
}

/** Until this bucket, untouched, holds so many; never more than a full one can. */
export function msUntil({ tokens }: Bucket, wanted: number, { burst, perSecond }: BucketLimit): number {
  return Math.max(0, ((Math.min(wanted, burst) - tokens) / perSecond) * 1000)
}
