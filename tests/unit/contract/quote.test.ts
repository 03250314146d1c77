// The credits of a turn: quoted before it is sent, reserved for it, and charged.
import { describe, expect, test } from 'vitest'
import {
  defaultCreditMicroDollars,
  exceedsTurnLimit,
  type QuotedTurn,
  quoteFor,
  reservationsFor,
  settledCredits,
} from '../../../worker/contract/models/quote.ts'
import { catalogueRows } from '../../support/migrated-db.ts'

/** A token of input costs a micro-dollar, one of output five. */
const model = {
  credits: 2,
  inputMicroDollarsPerMillionTokens: 1_000_000,
  outputMicroDollarsPerMillionTokens: 5_000_000,
  contextTokens: 1_000_000,
  maxOutputTokens: 64_000,
}
const price = 1_000
const quote = (turn: Partial<QuotedTurn>, at = price) => quoteFor({ model, plan: 'pro', mode: 'chat', inputTokens: 10_000, ...turn }, at)

test('the default price of a credit is 93 % of what PRO brings for it', () => expect(defaultCreditMicroDollars).toBe(3_875))

describe('a quote', () => {
  test('counts the input, the expected output, and at most the output limit', () => {
    expect(quote({})).toEqual({ minimum: 2, expected: 10 + 3, most: 10 + 80 })
  })

  test('is at least the credits of the model', () => {
    expect(quote({}, 1_000_000)).toEqual({ minimum: 2, expected: 2, most: 2 })
  })

  test('is the credits of the model if it has no price', () => {
    const quoted = { ...model, inputMicroDollarsPerMillionTokens: null }
    for (const mode of ['chat', 'search', 'research'] as const)
      expect(quote({ model: quoted, mode })).toEqual({ minimum: 2, expected: 2, most: 2 })
  })

  test('expects reasoning, unless its effort is none', () => {
    const reasoning = { ...model, capabilities: ['reasoning'] }
    expect(quote({ model: reasoning }).expected).toBe(10 + 6)
    expect(quote({ model: reasoning, effort: 'none' }).expected).toBe(10 + 3)
  })

  test('counts the summary that is written first, by the model that writes it', () => {
    // Two parts of 40,000 tokens, each with the summary before it, at 0.15 micro-dollars a token.
    const gateway = { ...model, provider: 'gateway' }
    expect(quote({ model: gateway, summarizedTokens: 80_000 })).toEqual({ minimum: 2, expected: 27, most: 104 })
    expect(quote({ summarizedTokens: 80_000 })).toEqual({ minimum: 2, expected: 13 + 107, most: 90 + 107 })
  })

  test('of a forced search expects three requests, one search and two pages', () => {
    // 3 × 10,000 + 11,000 of input, 1,000 of output, and 9,000 micro-dollars.
    expect(quote({ mode: 'search' })).toEqual({ minimum: 2, expected: 41 + 5 + 9, most: 2 * 55 })
  })

  test('of an answer that may use tools expects none, and reserves twice what a search is expected to cost', () => {
    expect(quote({ mayUseTools: true })).toEqual({ minimum: 2, expected: 13, most: 2 * 55 })
  })

  test('ends at the limit of the thread, and a limit below what is expected is exceeded', () => {
    expect(quote({ mode: 'search', turnCredits: 60 }).most).toBe(60)
    expect(quote({ mayUseTools: true, turnCredits: 150 }).most).toBe(150)
    const limited = { mode: 'search', turnCredits: 20 } as const
    expect(exceedsTurnLimit(quote(limited), limited)).toBe(true)
    expect(exceedsTurnLimit(quote({ ...limited, turnCredits: 55 }), { ...limited, turnCredits: 55 })).toBe(false)
  })

  test('of a research counts the remaining steps, its report and its plan, and has no limit of the thread', () => {
    const research = { steps: 2, planMicroDollars: 4_000 }
    // Each step: 1,500 + 8,000 + 13,000 of input, 600 of output, and 17,000 micro-dollars. The report: 10,000 + 1,200 of input, 3,000 of output.
    const expected = 4 + 2 * (22.5 + 3 + 17) + 11.2 + 15
    expect(quote({ mode: 'research', research, turnCredits: 1 })).toEqual({
      minimum: 2,
      expected: Math.ceil(expected),
      most: Math.ceil(1.5 * expected),
    })
  })

  test('of a continued research counts what was paid', () => {
    // The report: 10,000 of input and 3,000 of output.
    const research = { steps: 0, planMicroDollars: 0 }
    expect(quote({ mode: 'research', research, paidCredits: 5 })).toEqual({ minimum: 0, expected: 20, most: 33 })
    expect(quote({ mode: 'research', research, paidCredits: 60 })).toEqual({ minimum: 0, expected: 0, most: 0 })
  })

  test.each(['chat', 'search', 'research'] as const)('is ordered for every model of the catalogue: %s', (mode) => {
    for (const row of catalogueRows())
      for (const inputTokens of [1_600, 20_000, 128_000]) {
        const research = mode === 'research' ? { steps: 8, planMicroDollars: 0 } : undefined
        const { minimum, expected, most } = quoteFor({ model: row, plan: 'pro', mode, inputTokens, research }, defaultCreditMicroDollars)
        expect(minimum <= expected && expected <= most, `${row.id} ${inputTokens}`).toBe(true)
      }
  })
})

describe('the reserved credits', () => {
  const quotes = [
    { minimum: 1, expected: 4, most: 20 },
    { minimum: 1, expected: 6, most: 10 },
  ]

  test('are the most of each turn if that leaves as much again', () => expect(reservationsFor(quotes, 50)).toEqual([20, 10]))
  test('are what is expected and half of the rest', () => {
    expect(reservationsFor(quotes, 30)).toEqual([12, 8])
    expect(reservationsFor(quotes.slice(0, 1), 10)).toEqual([7])
  })
  test('are what is expected if no more is left', () => expect(reservationsFor(quotes, 10)).toEqual([4, 6]))
  test('do not exist if less is left', () => expect(reservationsFor(quotes, 9)).toBeNull())
})

describe('a charged turn', () => {
  const turn = { minimum: 2, expected: 5, creditMicroDollars: price }
  test.each([
    ['what it used, rounded up', 3_001, true, 4],
    ['at least the minimum', 10, true, 2],
    ['at most what it reserved', 90_000, true, 8],
    ['what was expected if its use is unknown', 10, false, 5],
    ['its known use if that is more', 6_500, false, 7],
  ])('costs %s', (_what, microDollars, isKnown, credits) => {
    expect(settledCredits(turn, { microDollars, isKnown }, 8)).toBe(credits)
  })
})
