/**
 * The highest cost of a credit by plan and model, in micro-dollars, for a request that uses its whole budget. Average requests cost a small
 * part of it. The setup page and `npm run credit-costs` show these numbers to operators.
 */
import { creditsFor, type Plan } from './access.ts'
import { type Budget, budgetFor, type PricedModel } from './context-budget.ts'
import { creditsPerDay, maxPageChars, maxPageReadsPerTurn, maxSearchesPerTurn, maxToolSteps } from './limits.ts'
import { defaultProPrice } from './pro-price.ts'
import { cacheWritePrice } from './prompt-caching.ts'

type CreditCost = Budget & {
  /** One request without tools. */
  readonly chatMicroDollars: number
  /** A message in Search mode with the maximum number of steps, searches and pages. */
  readonly searchMicroDollars: number
}

/** https://exa.ai/docs/admin/pricing, 2026-11-23 */
const microDollarsPerSearch = 7_000
const microDollarsPerPage = 1_000
/** Chosen: six results with title, address and snippet, at three characters a token. */
const tokensPerSearch = 2_000
const tokensPerPage = Math.ceil(maxPageChars / 3)
const foundTokens = maxSearchesPerTurn * tokensPerSearch + maxPageReadsPerTurn * tokensPerPage
const searchFees = maxSearchesPerTurn * microDollarsPerSearch + maxPageReadsPerTurn * microDollarsPerPage

/** Null for a model without a price. */
export function creditCost(plan: Plan, model: PricedModel): CreditCost | null {
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = model
  const credits = creditsFor(model)
  if (input == null || output == null || credits <= 0) return null
  const budget = budgetFor(plan, model)
  // The worst case: all input is written to the cache.
  const inputPrice = cacheWritePrice(model, input)
  const requestCost = (inputTokens: number) => (inputTokens * inputPrice + budget.outputTokens * output) / 1_000_000
  const search = maxToolSteps * requestCost(budget.inputTokens + foundTokens) + searchFees
  return {
    ...budget,
    chatMicroDollars: Math.ceil(requestCost(budget.inputTokens) / credits),
    searchMicroDollars: Math.ceil(search / credits),
  }
}

/** Chosen: revenue of PRO per credit if every credit of 30 days is used. */
export const proMicroDollarsPerCredit = Math.floor((defaultProPrice.unitAmount * 10_000) / (30 * creditsPerDay.pro))
