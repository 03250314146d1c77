// The pause after a part of work that costs no credit.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Pace, pauseAfter } from '../../../worker/lib/pace.ts'

const waits: { readonly ms: number; readonly end: () => void }[] = []

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  waits.length = 0
  vi.stubGlobal('scheduler', { wait: (ms: number) => new Promise<void>((end) => void waits.push({ ms, end })) })
})
afterEach(() => void vi.useRealTimers())

/** A part that takes this long. */
const takes = (ms: number) => async () => {
  vi.setSystemTime(Date.now() + ms)
  return ms
}

test('work on the databases of all users takes at most a tenth of the time, and work in the own object half', () => {
  for (const ms of [1, 7, 100, 500]) {
    void pauseAfter(ms, 'shared')
    expect(ms / (ms + (waits.at(-1)?.ms ?? 0))).toBeLessThanOrEqual(0.1)
    void pauseAfter(ms, 'own')
    expect(ms / (ms + (waits.at(-1)?.ms ?? 0))).toBeLessThanOrEqual(0.5)
  }
})

test('there is always a pause, and never a long one', () => {
  for (const ms of [0, -5, 1e9]) void pauseAfter(ms, 'shared')
  expect(waits.map(({ ms }) => ms)).toEqual([9, 9, 5000])
})

test('a pause follows each part, also a failed one, and grows with the time that the part took', async () => {
  const pace = new Pace()
  expect(pace.pause).toBeNull()
  expect(await pace.part('shared', takes(10))).toBe(10)
  expect(waits.map(({ ms }) => ms)).toEqual([90])
  const pause = pace.pause
  waits[0]?.end()
  await pause
  expect(pace.pause).toBeNull()
  await expect(pace.part('shared', () => takes(20)().then(() => Promise.reject(new Error('no'))))).rejects.toThrow('no')
  expect(waits.map(({ ms }) => ms)).toEqual([90, 180])
  expect(pace.pause).not.toBeNull()
})

test('the end of an earlier pause does not end a later one', async () => {
  const pace = new Pace()
  await pace.part('shared', takes(10))
  await pace.part('shared', takes(10))
  waits[0]?.end()
  await Promise.resolve()
  expect(pace.pause).not.toBeNull()
})
