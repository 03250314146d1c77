// Tokens, costs and durations as the page writes them.
import { expect, test } from 'vitest'
import { costText, formatCost, formatDuration, tokensDetail } from '../../../../../web/features/chat/message/format-use.ts'
import { unknownUse } from '../../../../../worker/contract/models/model-use.ts'

test.each([
  [0, '$0.00'],
  [3, '$0.000003'],
  [1420, '$0.0014'],
  [12_345, '$0.0123'],
  [250_000, '$0.25'],
  [12_345_678, '$12.35'],
  [1_234_000_000, '$1,234.00'],
])('writes %d micro-dollars as %s', (microDollars, text) => expect(formatCost(microDollars)).toBe(text))

test('an unknown cost has no text, and a partly unknown one is a lower bound', () => {
  expect(costText({ microDollars: null, unpriced: 2 })).toBeNull()
  expect(costText({})).toBeNull()
  expect(costText({ microDollars: 0, unpriced: 0 })).toBe('$0.00')
  expect(costText({ microDollars: 1420, unpriced: 1 })).toBe('at least $0.0014')
})

test('tokens include their cached and reasoning parts if there are any', () => {
  const use = { ...unknownUse, inputTokens: 1000, cachedInputTokens: 600, outputTokens: 50, reasoningTokens: 30 }
  expect(tokensDetail(use)).toEqual(['1,000 in (600 cached)', '50 out (30 reasoning)'])
  expect(tokensDetail({ ...use, cachedInputTokens: 0, reasoningTokens: null })).toEqual(['1,000 in', '50 out'])
  expect(tokensDetail({ ...use, outputTokens: null })).toEqual(['1,000 in (600 cached)'])
  expect(tokensDetail(unknownUse)).toEqual([])
})

test.each([
  [40, '0.0 s'],
  [840, '0.8 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [59_600, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('writes %d ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))
