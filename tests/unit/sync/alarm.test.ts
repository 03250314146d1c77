// Deadlines of one shared alarm, and when turns are looked after again. Rules: worker/sync/SPEC.md, T.
import { expect, test } from 'vitest'
import { isDue, nextAlarmAt } from '../../../worker/sync/alarm.ts'
import { nextTurnCheckAt } from '../../../worker/sync/turns/watch.ts'

test.each([
  [{ turns: null, queries: null }, null],
  [{ turns: 5, queries: null }, 5],
  [{ turns: 5, queries: 3 }, 3],
])('[T2] the alarm rings for the earliest deadline: %j', (deadlines, at) => {
  expect(nextAlarmAt(deadlines)).toBe(at)
})

test('[T2] a deadline is due from its moment on; none is never due', () => {
  expect([isDue(null, 9), isDue(10, 9), isDue(9, 9), isDue(8, 9)]).toEqual([false, false, true, true])
})

test('[T3] turns are looked after often, old ones less often, none not at all', () => {
  const nowMs = 10_000_000
  const aged = (ms: number) => ({ updatedAt: nowMs - ms })
  expect(nextTurnCheckAt([], nowMs)).toBeNull()
  expect(nextTurnCheckAt([aged(0)], nowMs)).toBe(nowMs + 10_000)
  expect(nextTurnCheckAt([aged(60 * 60_000)], nowMs)).toBe(nowMs + 60_000)
  expect(nextTurnCheckAt([aged(60 * 60_000), aged(1000)], nowMs)).toBe(nowMs + 10_000)
})
