// The bucket of writes against clocks that behave and clocks that do not. Rules: worker/sync/SPEC.md, R1, R5.
import { describe, expect, test } from 'vitest'
import { type Bucket, type BucketLimit, msUntil, refilled } from '../../../../worker/sync/limits/token-bucket.ts'
import { createRng } from '../../../support/rng.ts'

const limit: BucketLimit = { burst: 100, perSecond: 20 }
const hourMs = 60 * 60 * 1000
const at = 1_800_000_000_000
const empty: Bucket = { tokens: 0, atMs: at }

test('[R1] a bucket that nobody has taken from is full, and time fills it at its rate up to its burst', () => {
  expect(refilled(null, limit, at)).toEqual({ tokens: 100, atMs: at })
  expect(refilled(empty, limit, at + 1000)).toEqual({ tokens: 20, atMs: at + 1000 })
  expect(refilled(empty, limit, at + 5000).tokens).toBe(100)
  expect(refilled(empty, limit, at + hourMs).tokens).toBe(100)
})

test('[R3] how long until it holds so many: never longer than a whole bucket takes', () => {
  expect(msUntil(empty, 1, limit)).toBe(50)
  expect(msUntil(empty, 1_000_000, limit)).toBe(5000)
  expect(msUntil({ tokens: 40, atMs: at }, 25, limit)).toBe(0)
})

describe('[R5] a clock that jumps', () => {
  test('back by an hour: nothing is given, nothing is taken, and it fills on from there', () => {
    const back = refilled({ tokens: 30, atMs: at }, limit, at - hourMs)
    expect(back).toEqual({ tokens: 30, atMs: at - hourMs })
    expect(refilled(back, limit, at - hourMs + 1000).tokens).toBe(50)
  })

  test('forward by an hour: full, and no more than full', () => {
    const ahead = refilled(empty, limit, at + hourMs)
    expect(ahead.tokens).toBe(100)
    expect(refilled({ ...ahead, tokens: 0 }, limit, at).tokens).toBe(0)
  })

  test('back and forth at random: never above its burst, never below what it held, and a second always brings a second', () => {
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
