// Deadlines of one shared alarm, and when turns are looked after again. Rules: worker/sync/SPEC.md, T.
import { expect, test } from 'vitest'
import { dueNames, nextAlarmAt } from '../../../worker/sync/alarm.ts'
import { firstTurnCheckAt, nextTurnCheckAt } from '../../../worker/sync/turns/watch.ts'

const none = { tokens: null, quota: null, queries: null, turns: null, held: null, hint: null, import: null }

test.each([
  [none, null],
  [{ ...none, turns: 5 }, 5],
  [{ ...none, turns: 5, queries: 3 }, 3],
  [{ ...none, tokens: 2, quota: 1, queries: 4, turns: 3 }, 1],
])('[T2] the alarm rings for the earliest deadline: %j', (deadlines, at) => {
  expect(nextAlarmAt(deadlines)).toBe(at)
})

test('[T2] a deadline is due from its moment on; none is never due', () => {
  expect(dueNames(none, 9)).toEqual([])
  expect(dueNames({ ...none, tokens: 10, quota: 9, turns: 8 }, 9)).toEqual(['quota', 'turns'])
})

test('[T3] turns are looked after often, old ones less often, none not at all', () => {
  const nowMs = 10_000_000
  const aged = (ms: number) => ({ updatedAt: nowMs - ms })
  expect(firstTurnCheckAt(nowMs)).toBe(nowMs + 5_000)
  expect(nextTurnCheckAt([], nowMs)).toBeNull()
  expect(nextTurnCheckAt([aged(0)], nowMs)).toBe(nowMs + 10_000)
  expect(nextTurnCheckAt([aged(60 * 60_000)], nowMs)).toBe(nowMs + 60_000)
  expect(nextTurnCheckAt([aged(60 * 60_000), aged(1000)], nowMs)).toBe(nowMs + 10_000)
})
