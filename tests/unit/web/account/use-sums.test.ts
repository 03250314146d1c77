// The sums, bars and the CSV of the usage page.
import { describe, expect, test } from 'vitest'
import { limitIn } from '../../../../web/features/account/usage/usage-page.tsx'
import { axisEnd, barStarts, barsOf, csvOf, monthBefore, sumsBy, type Used } from '../../../../web/features/account/usage/use-sums.ts'
import { dayOf } from '../../../../worker/contract/access.ts'

const today = dayOf(Date.UTC(2026, 1, 28))
const used = (day: number, changes: Partial<Used> = {}): Used => ({
  ...{ day, modelId: 'kimi-k2', projectId: null, credits: 1, searches: 0, tokens: 10, microDollars: 5, unpriced: 0 },
  ...changes,
})

test('sums rows by a key', () => {
  const rows = [used(today), used(today - 1, { credits: 2 }), used(today, { modelId: 'gpt-5', searches: 3 })]
  const sums = sumsBy(rows, ({ modelId }) => modelId)
  expect(sums.get('kimi-k2')).toMatchObject({ credits: 3, tokens: 20 })
  expect(sums.get('gpt-5')).toMatchObject({ credits: 1, searches: 3 })
})

describe('the bars of a period', () => {
  test('are its days', () => {
    const bars = barsOf([used(today), used(today - 29), used(today - 30, { credits: 50 })], barStarts('days30', today))
    expect(bars.map(({ sum }) => sum.credits)).toEqual([1, ...Array.from({ length: 28 }, () => 0), 1])
  })

  test('are the months of twelve months, from their first days on', () => {
    const starts = barStarts('months12', today)
    expect([starts[0], starts.at(-1)]).toEqual([Date.UTC(2025, 2) / 86_400_000, Date.UTC(2026, 1) / 86_400_000])
    const bars = barsOf([used(today), used(monthBefore(today, 0)), used(monthBefore(today, 0) - 1)], starts)
    expect(bars.slice(-2).map(({ sum }) => sum.credits)).toEqual([1, 2])
  })
})

test.each([
  [0, 2],
  [1, 2],
  [3, 4],
  [5, 6],
  [9, 10],
  [10, 10],
  [11, 12],
  [21, 30],
  [99, 100],
  [4999, 5000],
])('the axis of %d ends at %d', (highest, end) => expect(axisEnd(highest)).toBe(end))

describe('the CSV', () => {
  const csv = (model: string, project = 'Tea') =>
    csvOf([used(today, { projectId: 'p', microDollars: 1_234_567, unpriced: 2 })], { model: () => model, project: () => project })

  test('has a header and one line for each row', () => {
    expect(csv('Kimi K2')).toBe(
      '\uFEFFdate,model,model_id,project,project_id,credits,searches,tokens,known_cost_usd,requests_without_known_cost\r\n' +
        '2026-02-28,"Kimi K2","kimi-k2","Tea","p",1,0,10,1.234567,2\r\n',
    )
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '＝1'])('does not let a spreadsheet calculate %j', (name) => {
    expect(csv('Kimi', name)).toContain(`"'${name}"`)
  })

  test('quotes quotes, commas and lines', () => expect(csv('a "b", c\nd')).toContain('"a ""b"", c\nd"'))

  test('has a negative number as a number', () => {
    expect(csvOf([used(today, { credits: -1 })], { model: () => 'm', project: () => '' })).toContain(',-1,0,10,')
  })
})

test.each([
  ['', null],
  ['1', 1],
  ['1000000', 1_000_000],
  ['1000001', undefined],
  ['0', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['ten', undefined],
])('reads the limit %j as %j', (text, limit) => expect(limitIn(text)).toBe(limit))
