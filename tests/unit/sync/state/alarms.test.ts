// Times of the shared alarm. Rules: worker/sync/SPEC.md, H4.
import { expect, test } from 'vitest'
import { dueNames, nextAlarmAt } from '../../../../worker/sync/state/alarms.ts'
import { firstTurnCheckAt, nextTurnCheckAt } from '../../../../worker/turns/turns.ts'

const names = ['tokens', 'quota', 'queries', 'turns']

test.each([
  [{}, null],
  [{ turns: 5 }, 5],
  [{ turns: 5, queries: 3 }, 3],
  [{ tokens: 2, quota: 1, queries: 4, turns: 3 }, 1],
])('[H4] the platform alarm is set for the earliest named alarm: %j', (times, at) => {
  expect(nextAlarmAt(times)).toBe(at)
})

test('[H4] an alarm is due from its time on, in the order of the names', () => {
  expect(dueNames({}, names, 9)).toEqual([])
  expect(dueNames({ turns: 8, tokens: 10, quota: 9 }, names, 9)).toEqual(['quota', 'turns'])
})

test('[T3] checks young turns often, old turns less often, and nothing without turns', () => {
  const nowMs = 10_000_000
  const aged = (ms: number) => ({ updatedAt: nowMs - ms })
  expect(firstTurnCheckAt(nowMs)).toBe(nowMs + 5_000)
  expect(nextTurnCheckAt([], nowMs)).toBeNull()
  expect(nextTurnCheckAt([aged(0)], nowMs)).toBe(nowMs + 10_000)
  expect(nextTurnCheckAt([aged(60 * 60_000)], nowMs)).toBe(nowMs + 60_000)
  expect(nextTurnCheckAt([aged(60 * 60_000), aged(1000)], nowMs)).toBe(nowMs + 10_000)
})
