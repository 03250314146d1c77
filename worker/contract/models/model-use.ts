/**
 * What requests to a model used: tokens, and their cost in micro-dollars (1,000,000 are one US dollar). All values are integers. Null: the
 * figure is unknown, which is not 0.
 */

import { type CachingModel, cacheWritePrice } from './prompt-caching.ts'

export const useFields = ['inputTokens', 'cachedInputTokens', 'outputTokens', 'reasoningTokens', 'microDollars'] as const

/** Cached tokens are part of the input, reasoning tokens of the output. */
export type ModelUse = { readonly [Field in (typeof useFields)[number]]: number | null }

export const unknownUse: ModelUse = {
  inputTokens: null,
  cachedInputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  microDollars: null,
}

/** One answered request. `model`: the slug that `provider` uses. */
export type ModelRequest = ModelUse & { readonly model: string; readonly provider: string }

/** The sums of the known figures. `unpriced`: requests whose cost is unknown. */
export type TotalUse = ModelUse & { readonly requests: number; readonly unpriced: number }

const plus = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0))

const sumOf = (requests: readonly ModelUse[], field: keyof ModelUse): number | null =>
  requests.reduce<number | null>((sum, request) => plus(sum, request[field]), null)

/** Null without requests. */
export function totalUse(requests: readonly ModelUse[]): TotalUse | null {
  if (requests.length === 0) return null
  return {
    requests: requests.length,
    unpriced: requests.filter(({ microDollars }) => microDollars === null).length,
    inputTokens: sumOf(requests, 'inputTokens'),
    cachedInputTokens: sumOf(requests, 'cachedInputTokens'),
    outputTokens: sumOf(requests, 'outputTokens'),
    reasoningTokens: sumOf(requests, 'reasoningTokens'),
    microDollars: sumOf(requests, 'microDollars'),
  }
}

/** The cost and the duration of an answer. */
export type AnswerFigures = { readonly credits: number; readonly use?: TotalUse; readonly durationMs?: number }

/** The figures of all turns of an answer. `earlier`: the sums of the turns before. */
export function figuresOf({ credits, use, durationMs, earlier }: AnswerFigures & { readonly earlier?: AnswerFigures }): AnswerFigures {
  if (!earlier) return { credits, ...(use && { use }), ...(durationMs !== undefined && { durationMs }) }
  const uses = [earlier.use, use].filter((one) => one !== undefined)
  const sum = totalUse(uses)
  const count = (field: 'requests' | 'unpriced') => uses.reduce((total, one) => total + one[field], 0)
  return {
    credits: earlier.credits + credits,
    ...(sum && { use: { ...sum, requests: count('requests'), unpriced: count('unpriced') } }),
    durationMs: (earlier.durationMs ?? 0) + (durationMs ?? 0),
  }
}

/** Input and output. */
export const tokensOf = ({ inputTokens, outputTokens }: ModelUse): number | null => plus(inputTokens, outputTokens)

/** Columns of a catalogue row. Null or absent: the price is unknown. */
export type TokenPrices = {
  readonly inputMicroDollarsPerMillionTokens?: number | null
  readonly cachedInputMicroDollarsPerMillionTokens?: number | null
  readonly outputMicroDollarsPerMillionTokens?: number | null
}

type PricedModel = TokenPrices & CachingModel

/** Tokens of one request. Cached tokens, and tokens that were written to the cache, are part of the input. */
type TokenCounts = Omit<ModelUse, 'microDollars'> & { readonly cacheWriteTokens?: number | null }

/**
 * The cost of one request in micro-dollars, rounded up. Without a price for cached input, the price of other input applies.
 * Null if a price or a count is unknown.
 */
export function costOf({ inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens }: TokenCounts, model: PricedModel): number | null {
  const input = model.inputMicroDollarsPerMillionTokens
  const output = model.outputMicroDollarsPerMillionTokens
  const cached = model.cachedInputMicroDollarsPerMillionTokens ?? input
  if (inputTokens === null || outputTokens === null || !isPrice(input) || !isPrice(output) || !isPrice(cached)) return null
  const readTokens = Math.min(cachedInputTokens ?? 0, inputTokens)
  const writtenTokens = Math.min(cacheWriteTokens ?? 0, inputTokens - readTokens)
  const product = (tokens: number, price: number) => BigInt(tokens) * BigInt(price)
  const costs = [
    product(inputTokens - readTokens - writtenTokens, input),
    product(readTokens, cached),
    product(writtenTokens, Math.ceil(cacheWritePrice(model, input))),
    product(outputTokens, output),
  ]
  return dividedUp(
    costs.reduce((sum, cost) => sum + cost),
    1_000_000n,
  )
}

const isPrice = (price: number | null | undefined): price is number => Number.isSafeInteger(price)

/** Chosen: not negative, and below a million dollars. A larger figure is an error of the provider. */
const decimal = /^(\d{1,6})(?:\.(\d{1,30}))?(?:e-(\d{1,2}))?$/i

/** A provider's own figure in US dollars, as decimal text or a number, in micro-dollars, rounded up. Null for anything else. */
export function microDollarsOf(dollars: unknown): number | null {
  const found = typeof dollars === 'string' || typeof dollars === 'number' ? decimal.exec(String(dollars).trim()) : null
  if (!found) return null
  const [, whole = '', fraction = '', exponent = '0'] = found
  return dividedUp(BigInt(whole + fraction) * 1_000_000n, 10n ** BigInt(fraction.length + Number(exponent)))
}

const dividedUp = (value: bigint, divisor: bigint): number => Number((value + divisor - 1n) / divisor)
