/** How many tokens one request may send to a model and receive from it, by plan and model. The budget bounds the cost of a credit (credit-cost.ts). */
import { creditsFor, type ModelAccess, type Plan } from '../access.ts'
import type { ChatMessage } from '../threads/messages.ts'
import { type CachingModel, cacheWritePrice } from './prompt-caching.ts'
import { instructionTokens, messageTokens } from './token-estimates.ts'

export type PricedModel = ModelAccess &
  CachingModel & {
    readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
    readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
    readonly contextTokens?: number | null | undefined
    readonly maxOutputTokens?: number | null | undefined
  }

export type Budget = { readonly inputTokens: number; readonly outputTokens: number }

type PlanBudget = {
  readonly max: Budget
  /** Lower bound even for an expensive model, because a smaller budget makes a model useless. */
  readonly min: Budget
  /** The highest cost of a credit in one request. Exceeded only where `min` requires it. */
  readonly microDollarsPerCredit: number
}

/** Chosen: a long conversation for PRO, an average one for the other plans. A message with the most images fits. */
export const planBudgets: { readonly [P in Plan]: PlanBudget } = {
  guest: {
    max: { inputTokens: 20_000, outputTokens: 4_000 },
    min: { inputTokens: 8_000, outputTokens: 4_000 },
    microDollarsPerCredit: 20_000,
  },
  free: {
    max: { inputTokens: 32_000, outputTokens: 8_000 },
    min: { inputTokens: 8_000, outputTokens: 4_000 },
    microDollarsPerCredit: 30_000,
  },
  pro: {
    max: { inputTokens: 128_000, outputTokens: 16_000 },
    min: { inputTokens: 16_000, outputTokens: 8_000 },
    microDollarsPerCredit: 50_000,
  },
}

/** Chosen: the smallest context window of the models in use. Applies if a connected server does not report a window. */
const unknownContextTokens = 32_000
const contextTokensOf = ({ contextTokens }: PricedModel): number => contextTokens ?? unknownContextTokens

/** The output may cost half of the limit. The input may cost what the output leaves. */
export function budgetFor(plan: Plan, model: PricedModel): Budget {
  const { max, min, microDollarsPerCredit } = planBudgets[plan]
  const maxMicroDollars = creditsFor(model) * microDollarsPerCredit
  const outputPrice = (model.outputMicroDollarsPerMillionTokens ?? 0) / 1_000_000
  // The worst case: all input is written to the cache.
  const inputPrice = cacheWritePrice(model, (model.inputMicroDollarsPerMillionTokens ?? 0) / 1_000_000)
  const context = contextTokensOf(model)
  const affordableOutput = clamp(min.outputTokens, maxMicroDollars / 2 / outputPrice, max.outputTokens)
  // At least half of the context window stays for the input.
  const outputTokens = Math.floor(Math.min(affordableOutput, model.maxOutputTokens ?? affordableOutput, context / 2))
  const affordableInput = clamp(min.inputTokens, (maxMicroDollars - outputTokens * outputPrice) / inputPrice, max.inputTokens)
  return { inputTokens: Math.floor(Math.min(affordableInput, context - outputTokens)), outputTokens }
}

/**
 * The largest input of a request whose last message is long. A message cannot be shortened, so it may use the largest budget of the plan, even
 * with an expensive model.
 */
export const longestMessageTokens = (plan: Plan, model: PricedModel): number =>
  Math.min(planBudgets[plan].max.inputTokens, contextTokensOf(model) - budgetFor(plan, model).outputTokens)

/** Chosen: requests of a thorough answer, which searches, reads pages in two steps and answers. */
const toolRequests = 4
/** Chosen: what the tools return in these requests on average. Two searches and three pages in English are 16,000 tokens. */
const toolResultTokens = 16_000
/** Chosen: the steps before the answer write calls and reasoning. */
const toolOutputs = 3

/**
 * The tokens of all requests of a turn with tools. The first request always has tools. Later ones have tools while two more requests of
 * their size fit; then the model answers with the results that it has.
 */
export const toolBudget = ({ inputTokens, outputTokens }: Budget): Budget => ({
  inputTokens: toolRequests * (inputTokens + toolResultTokens),
  outputTokens: toolOutputs * outputTokens,
})

/** A model without a price makes `value` infinite or NaN; only the limits of the plan apply to it. */
const clamp = (min: number, value: number, max: number): number => (Number.isFinite(value) ? Math.min(max, Math.max(min, value)) : max)

/**
 * The limit for a page that a tool reads, in addition to `maxPageChars`. Chosen: 12,000 characters of English are 4,000 tokens. A page in Chinese
 * ends after 6,000 characters, which contain about as much.
 */
export const maxPageTokens = 6_000

/** True if the message exceeds the budget. It is not sent. */
export const isMessageTooLong = (message: Pick<ChatMessage, 'parts'>, plan: Plan, model: PricedModel): boolean =>
  messageTokens(message) > longestMessageTokens(plan, model) - instructionTokens
