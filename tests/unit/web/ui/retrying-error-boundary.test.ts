import { expect, test } from 'vitest'
import { type Retries, retryDelayMs, retryIntervalMs } from '../../../../web/ui/retrying-error-boundary.tsx'

const now = 1_000_000
const retries = (changes: Partial<Retries> = {}): Retries => ({ lastAtMs: null, hasRetriedAfterEnd: false, ...changes })

test('a part that streams retries at once, then at most once a second', () => {
  expect(retryDelayMs(true, retries(), now)).toBe(0)
  for (const agoMs of [0, 1, 400, retryIntervalMs - 1])
    expect(retryDelayMs(true, retries({ lastAtMs: now - agoMs }), now)).toBe(retryIntervalMs - agoMs)
  for (const agoMs of [retryIntervalMs, 60_000]) expect(retryDelayMs(true, retries({ lastAtMs: now - agoMs }), now)).toBe(0)
  let lastAtMs: number | null = null
  const retriedAtMs: number[] = []
  for (let nowMs = now; nowMs < now + 10_000; nowMs += 7) {
    if (retryDelayMs(true, retries({ lastAtMs }), nowMs) !== 0) continue
    lastAtMs = nowMs
    retriedAtMs.push(nowMs)
  }
  expect(retriedAtMs).toHaveLength(10)
})

test('a part retries once when its answer ends, and then leaves it to the user', () => {
  expect(retryDelayMs(false, retries({ lastAtMs: now }), now)).toBe(0)
  expect(retryDelayMs(false, retries({ lastAtMs: now, hasRetriedAfterEnd: true }), now + 60_000)).toBeNull()
})
