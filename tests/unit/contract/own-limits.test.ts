// Limits of credits that a user sets, in addition to those of the plan.
import { describe, expect, test } from 'vitest'
import { creditRefusal, creditState, creditsThisMonth, dayMs, dayOf, monthStartOf } from '../../../worker/contract/access.ts'
import { isResolvedBy } from '../../../worker/contract/errors.ts'

const nowMs = Date.UTC(2026, 10, 29, 12)
const day = dayOf(nowMs)
const monthStart = dayOf(Date.UTC(2026, 10, 1))
const usage = (credits: number, monthCredits: number, dailyCreditLimit: number | null, monthlyCreditLimit: number | null) => ({
  ...{ credits, day, monthCredits, monthStart, dailyCreditLimit, monthlyCreditLimit },
})

test('a month begins on its first UTC day', () => {
  expect(monthStartOf(nowMs)).toBe(monthStart)
  expect(monthStartOf(monthStart * dayMs)).toBe(monthStart)
})

test('credits of an earlier month do not count, and those of a clock ahead do', () => {
  expect(creditsThisMonth(usage(0, 7, null, null), nowMs)).toBe(7)
  expect(creditsThisMonth(usage(0, 7, null, null), Date.UTC(2026, 11, 1))).toBe(0)
  expect(creditsThisMonth(usage(0, 7, null, null), nowMs - 40 * dayMs)).toBe(7)
  expect(creditsThisMonth(undefined, nowMs)).toBe(0)
})

test.each([
  ['the plan', usage(15, 300, null, null), { limit: 20, left: 5, warn: false }],
  ['a lower limit of the day', usage(4, 300, 10, null), { limit: 10, left: 6, warn: false }],
  ['no higher limit of the day', usage(4, 300, 1000, null), { limit: 20, left: 16, warn: false }],
  ['the limit of the month', usage(4, 98, null, 100), { limit: 20, left: 2, warn: true }],
  ['a limit below what was used', usage(9, 98, 3, 50), { limit: 3, left: 0, warn: true }],
])('what is left follows %s', (_name, row, state) => expect(creditState('free', row, nowMs)).toMatchObject(state))

describe('the refusal', () => {
  const refused = (row: ReturnType<typeof usage>, credits = 3) => creditRefusal('free', row, credits, nowMs)

  test('is none while every limit leaves enough', () => expect(refused(usage(17, 97, 20, 100))).toBeNull())

  test.each([
    ['the plan, if it leaves too little as well', usage(18, 99, 18, 100), { code: 'credits_short', values: { credits: 3, left: 0 } }],
    ['the plan, if it leaves nothing', usage(20, 99, 18, 100), { code: 'credits_exhausted' }],
    ['the limit of the day', usage(8, 50, 10, 100), { code: 'own_daily_limit_reached' }],
    ['the limit of the month', usage(8, 98, null, 100), { code: 'own_monthly_limit_reached' }],
    ['the limit of the month before that of the day', usage(8, 98, 10, 100), { code: 'own_monthly_limit_reached' }],
  ])('names %s', (_name, row, expected) => expect(refused(row)).toEqual(expected))

  test('of a day ends with the day, and that of a month waits for the user', () => {
    expect(isResolvedBy('own_daily_limit_reached', 'reset')).toBe(true)
    expect(isResolvedBy('own_monthly_limit_reached', 'reset')).toBe(false)
  })
})
