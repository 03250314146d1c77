// How long a query that nobody desires is kept. Rules: worker/sync/SPEC.md, Q3.
import { expect, test } from 'vitest'
import { clampTtlMs } from '../../../../worker/sync/state/desires.ts'

const minuteMs = 60_000

test.each([
  [undefined, 10 * minuteMs],
  [Number.NaN, 10 * minuteMs],
  [-1, 10 * minuteMs],
  [0, 0],
  [5 * minuteMs, 5 * minuteMs],
  [10 * minuteMs, 10 * minuteMs],
  [24 * 60 * minuteMs, 10 * minuteMs],
])('[Q3] a time to live of %s is kept for %i ms', (ttl, keptMs) => {
  expect(clampTtlMs(ttl)).toBe(keptMs)
})
