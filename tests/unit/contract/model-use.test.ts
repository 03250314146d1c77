// Tokens and cost: integers, rounding, and figures that are unknown.
import { describe, expect, test } from 'vitest'
import {
  costOf,
  figuresOf,
  type ModelUse,
  microDollarsOf,
  tokensOf,
  totalUse,
  unknownUse,
} from '../../../worker/contract/models/model-use.ts'

const prices = {
  inputMicroDollarsPerMillionTokens: 2_500_000,
  cachedInputMicroDollarsPerMillionTokens: 250_000,
  outputMicroDollarsPerMillionTokens: 15_000_000,
}
const counts = (inputTokens: number | null, outputTokens: number | null, cachedInputTokens: number | null = null) => ({
  ...unknownUse,
  inputTokens,
  outputTokens,
  cachedInputTokens,
})

describe('the cost of a request', () => {
  test.each([
    ['input and output by their prices', counts(1000, 100), 4000],
    ['cached input by its own price', counts(1000, 100, 800), 2200],
    ['a fraction of a micro-dollar as a whole one', counts(1, 0), 3],
    ['no output as input alone', counts(1000, 0), 2500],
    ['more cached input than input as all of the input', counts(1000, 0, 5000), 250],
  ])('counts %s', (_name, use, cost) => expect(costOf(use, prices)).toBe(cost))

  test('counts reasoning as part of the output', () => {
    expect(costOf({ ...counts(1000, 100), reasoningTokens: 90 }, prices)).toBe(4000)
  })

  test('counts cached input as other input if it has no price', () => {
    expect(costOf(counts(1000, 100, 800), { ...prices, cachedInputMicroDollarsPerMillionTokens: null })).toBe(4000)
  })

  test('is exact for counts and prices whose product is no safe integer', () => {
    const high = { inputMicroDollarsPerMillionTokens: 180_000_001, outputMicroDollarsPerMillionTokens: 0 }
    expect(costOf(counts(99_999_999, 0), high)).toBe(Number((99_999_999n * 180_000_001n + 999_999n) / 1_000_000n))
  })

  test('is 0 if the prices are 0', () => {
    expect(costOf(counts(1000, 100), { inputMicroDollarsPerMillionTokens: 0, outputMicroDollarsPerMillionTokens: 0 })).toBe(0)
  })

  test.each([
    ['the price of input is missing', counts(1000, 100), { ...prices, inputMicroDollarsPerMillionTokens: null }],
    ['the price of output is missing', counts(1000, 100), { inputMicroDollarsPerMillionTokens: 1 }],
    ['the input is unknown', counts(null, 100), prices],
    ['the output is unknown', counts(1000, null), prices],
  ])('is unknown if %s', (_name, use, known) => expect(costOf(use, known)).toBeNull())
})

test.each([
  ['0.0045405', 4541],
  [0.0045405, 4541],
  ['12', 12_000_000],
  [' 1e-7 ', 1],
  [1e-7, 1],
  ['0', 0],
  [0, 0],
  ['0.000001', 1],
  ['0.0000010', 1],
])('reads %j dollars as %d micro-dollars, rounded up', (dollars, microDollars) => expect(microDollarsOf(dollars)).toBe(microDollars))

test.each([['-1'], ['1000000'], ['NaN'], [Number.NaN], [Number.POSITIVE_INFINITY], ['1,5'], [''], [null], [undefined], [{}]])(
  'reads %j as an unknown cost',
  (dollars) => expect(microDollarsOf(dollars)).toBeNull(),
)

describe('the sum of requests', () => {
  const known: ModelUse = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, reasoningTokens: 1, microDollars: 25 }

  test('is absent without requests', () => expect(totalUse([])).toBeNull())

  test('adds the known figures, and counts requests whose cost is unknown', () => {
    expect(totalUse([known, { ...known, microDollars: null }, unknownUse])).toEqual({
      ...{ requests: 3, unpriced: 2 },
      ...{ inputTokens: 20, cachedInputTokens: 8, outputTokens: 6, reasoningTokens: 2, microDollars: 25 },
    })
  })

  test('stays unknown if no figure is known', () => {
    expect(totalUse([unknownUse, unknownUse])).toEqual({ ...unknownUse, requests: 2, unpriced: 2 })
    expect(tokensOf(unknownUse)).toBeNull()
  })
})

test('the figures of an answer are the sums of its turns', () => {
  const of = (microDollars: number | null) => ({
    ...unknownUse,
    requests: 2,
    unpriced: microDollars === null ? 1 : 0,
    outputTokens: 30,
    microDollars,
  })
  const answer = { modelId: 'm', modelName: 'M', modelIcon: 'i', ending: 'completed', credits: 3, use: of(null), durationMs: 400 } as const
  expect(figuresOf(answer)).toEqual({ credits: 3, use: of(null), durationMs: 400 })
  const earlier = figuresOf({ ...answer, credits: 2, use: of(7), durationMs: 100 })
  expect(figuresOf({ ...answer, earlier })).toEqual({
    credits: 5,
    use: { ...unknownUse, requests: 4, unpriced: 1, outputTokens: 60, microDollars: 7 },
    durationMs: 500,
  })
})
