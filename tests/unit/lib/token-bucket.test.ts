// Token buckets with correct and incorrect clocks. Rules: worker/sync/SPEC.md, R1, R3, R5.
import { describe, expect, test } from 'vitest'
import { type Bucket, type BucketLimit, msUntil, refilled } from '../../../worker/lib/token-bucket.ts'
import { createRng } from '../../support/rng.ts'

const limit: BucketLimit = { burst: 100, perSecond: 20 }
const hourMs = 60 * 60 * 1000
const at = 1_800_000_000_000
const empty: Bucket = { tokens: 0, atMs: at }

test('[R1] a new bucket is full and refills at its rate up to its burst', () => {
  expect(refilled(null, limit, at)).toEqual({ tokens: 100, atMs: at })
  expect(refilled(empty, limit, at + 1000)).toEqual({ tokens: 20, atMs: at + 1000 })
  expect(refilled(empty, limit, at + 5000).tokens).toBe(100)
  expect(refilled(empty, limit, at + hourMs).tokens).toBe(100)
})

test('[R3] the time until a number of tokens is at most the time to fill the bucket', () => {
  expect(msUntil(empty, 1, limit)).toBe(50)
  expect(msUntil(empty, 1_000_000, limit)).toBe(5000)
  expect(msUntil({ tokens: 40, atMs: at }, 25, limit)).toBe(0)
})

describe('[R5] a clock that jumps', () => {
  test('back by an hour: the tokens stay, and the bucket fills from the new time', () => {
    const back = refilled({ tokens: 30, atMs: at }, limit, at - hourMs)
    expect(back).toEqual({ tokens: 30, atMs: at - hourMs })
    expect(refilled(back, limit, at - hourMs + 1000).tokens).toBe(50)
  })

  test('forward by an hour: full and not more', () => {
    const ahead = refilled(empty, limit, at + hourMs)
    expect(ahead.tokens).toBe(100)
    expect(refilled({ ...ahead, tokens: 0 }, limit, at).tokens).toBe(0)
  })

  test("at random: never above the burst, never below the stored tokens, and a second adds a second's tokens", () => {
    const rng = createRng(7)
    let bucket = empty
    let nowMs = at
    for (let step = 0; step < 5000; step++) {
      nowMs += rng.pick([0, 1, 50, 1000, -1, -hourMs, hourMs])
      const next = refilled(bucket, limit, nowMs)
      expect(next.tokens).toBeGreaterThanOrEqual(bucket.tokens)
      expect(next.tokens).toBeLessThanOrEqual(limit.burst)
      expect(refilled(next, limit, nowMs + 1000).tokens).toBe(Math.min(100, next.tokens + 20))
      bucket = { ...next, tokens: next.tokens * rng.pick([0, 0.5, 1]) }
    }
  })
})
