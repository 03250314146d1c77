/**
 * The highest cost of a credit by plan and model, in micro-dollars. Average requests cost a small part of it. The setup page and
 * `npm run credit-costs` show these numbers to operators.
 *
 * Free turns (`unpaidTurnsPerDay`) are not included, except one plan for each research. A plan costs about as much as a request with the
 * longest message. Titles and requests that are repeated after a crash are not included either.
 */
import { creditsFor, modeRefusal, type Plan } from './access.ts'
import { type Budget, budgetFor, instructionTokens, longestMessageTokens, type PricedModel } from './context-budget.ts'
import type { Capability } from './files.ts'
import {
  creditsPerDay,
  maxMessageChars,
  maxPageChars,
  maxPageReadsPerTurn,
  maxPagesPerStep,
  maxPlanStepChars,
  maxPlanSteps,
  maxQueriesPerStep,
  maxSearchesPerTurn,
  maxToolSteps,
} from './limits.ts'
import { defaultProPrice, type ProPrice } from './pro-price.ts'
import { cacheWritePrice } from './prompt-caching.ts'
import { wordsBeforeQuestion } from './research.ts'

export type CostedModel = PricedModel & { readonly capabilities?: readonly Capability[] | null | undefined }

type CreditCost = Budget & {
  /** One request without tools, whose conversation fits into the budget. */
  readonly chatMicroDollars: number
  /** One request without tools, with the longest message. */
  readonly longestMicroDollars: number
  /** The longest message in Search mode, with the maximum number of steps, searches and pages. Null if the model cannot search. */
  readonly searchMicroDollars: number | null
  /** A plan for the longest message, its research and the report. Null if the plan or the model allows no research. */
  readonly researchMicroDollars: number | null
  /** The highest of these costs. */
  readonly worstMicroDollars: number
}

/** https://exa.ai/docs/admin/pricing, 2026-11-23 */
const microDollarsPerSearch = 7_000
const microDollarsPerPage = 1_000
/** Chosen: six results with title, address and snippet. The worst case of `textTokens` is a token for each character, for example in Chinese. */
const tokensPerSearch = 6_000
const tokensPerPage = maxPageChars

const webUse = (searches: number, pages: number) => ({
  fees: searches * microDollarsPerSearch + pages * microDollarsPerPage,
  tokens: searches * tokensPerSearch + pages * tokensPerPage,
})
const webUseOfSearch = webUse(maxSearchesPerTurn, maxPageReadsPerTurn)
const webUseOfStep = webUse(maxQueriesPerStep, maxPagesPerStep)

/** Null for a model without a price. */
export function creditCost(plan: Plan, model: CostedModel): CreditCost | null {
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = model
  const credits = creditsFor(model)
  if (input == null || output == null || credits <= 0) return null
  const budget = budgetFor(plan, model)
  const longest = longestMessageTokens(plan, model)
  const costOf = (inputs: readonly number[], inputPrice: number, fees = 0) => {
    // The provider refuses a request above the context window.
    const tokens = inputs.reduce((sum, count) => sum + Math.min(count, model.contextTokens ?? count), 0)
    const requests = (tokens * inputPrice + inputs.length * budget.outputTokens * output) / 1_000_000
    return Math.ceil((requests + fees) / credits)
  }
  const allows = (mode: 'search' | 'research') => modeRefusal(mode, plan, model, null, 0) === null
  // The worst case: all input is written to the cache. The requests of a research are not cached.
  const cachedPrice = cacheWritePrice(model, input)
  const costs = {
    chatMicroDollars: costOf([budget.inputTokens], cachedPrice),
    longestMicroDollars: costOf([longest], cachedPrice),
    searchMicroDollars: allows('search') ? costOf(searchInputs(longest, budget), cachedPrice, webUseOfSearch.fees) : null,
    researchMicroDollars: allows('research') ? costOf(researchInputs(longest, budget), input, webUseOfStep.fees * maxPlanSteps) : null,
  }
  return { ...budget, ...costs, worstMicroDollars: Math.max(...Object.values(costs).map((cost) => cost ?? 0)) }
}

/** Each step also reads the outputs of the steps before it. One more request follows if the model keeps calling tools. */
function searchInputs(longest: number, { outputTokens }: Budget): readonly number[] {
  const withFound = longest + webUseOfSearch.tokens
  return [...Array.from({ length: maxToolSteps }, (_, step) => withFound + step * outputTokens), withFound]
}

/** The plan, the notes of each step, and the report, which reads all notes. */
function researchInputs(longest: number, { outputTokens }: Budget): readonly number[] {
  const notes = instructionTokens + wordsBeforeQuestion.maxChars + Math.min(longest, maxMessageChars) + webUseOfStep.tokens
  return [longest, ...Array<number>(maxPlanSteps).fill(notes), longest + maxPlanSteps * (maxPlanStepChars + outputTokens)]
}

/** Chosen: revenue of PRO per credit if every credit of 30 days is used. The price is in US dollars. */
export const proMicroDollarsPerCredit = ({ unitAmount }: ProPrice = defaultProPrice): number =>
  Math.floor((unitAmount * 10_000) / (30 * creditsPerDay.pro))
