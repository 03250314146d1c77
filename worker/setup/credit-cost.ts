/**
 * The highest cost of a credit by plan and model, in micro-dollars. Average requests cost a small fraction of it. The setup page and
 * `npm run credit-costs` show these numbers to operators.
 *
 * Unpaid turns (`unpaidTurnsPerDay`) are not included, except the research plan of each research. It costs about as much as a request with the
 * longest message. Titles and requests that are repeated after a crash are not included.
 */
import { creditsFor, modeRefusal, type Plan } from '../contract/access.ts'
import type { Capability } from '../contract/files/files.ts'
import {
  creditsPerDay,
  maxPageReadsPerTurn,
  maxPagesPerStep,
  maxPlanStepChars,
  maxPlanSteps,
  maxQueriesPerStep,
  maxSearchesPerTurn,
} from '../contract/limits.ts'
import {
  type Budget,
  budgetFor,
  longestMessageTokens,
  maxPageTokens,
  type PricedModel,
  toolBudget,
} from '../contract/models/context-budget.ts'
import { cacheWritePrice } from '../contract/models/prompt-caching.ts'
import { instructionTokens } from '../contract/models/token-estimates.ts'
import { defaultProPrice, type ProPrice } from '../contract/organizations/pro-price.ts'
import { wordsBeforeQuestion, wordsOfQuestion } from '../contract/research/research.ts'

export type CostedModel = PricedModel & { readonly capabilities?: readonly Capability[] | null | undefined }

/** Costs per credit: the cost of a message divided by its credits. The budget is that of one request. */
type CreditCost = Budget & {
  /** One request without tools, whose conversation fits into the budget. */
  readonly chatMicroDollars: number
  /** One request without tools, with the longest message. */
  readonly longestMicroDollars: number
  /** The most expensive turn in Search mode that its token budget allows. Null if the model cannot search. */
  readonly searchMicroDollars: number | null
  /** The research plan for the longest message, the notes and the report. Null if the user's plan or the model allows no research. */
  readonly researchMicroDollars: number | null
  /** The highest of these costs. */
  readonly highestMicroDollars: number
}

/** https://exa.ai/docs/admin/pricing, 2026-11-23 */
const microDollarsPerSearch = 7_000
const microDollarsPerPage = 1_000
/** Chosen: six results (chat/tools/exa.ts) of about 1,000 characters with title, snippet and address. `textTokens` counts at most one token per character. */
const tokensPerSearch = 6_000

const webUse = (searches: number, pages: number) => ({
  fees: searches * microDollarsPerSearch + pages * microDollarsPerPage,
  tokens: searches * tokensPerSearch + pages * maxPageTokens,
})
const webUsePerSearchTurn = webUse(maxSearchesPerTurn, maxPageReadsPerTurn)
const webUsePerResearchStep = webUse(maxQueriesPerStep, maxPagesPerStep)

/** Null for a model without a price. */
export function creditCost(plan: Plan, model: CostedModel): CreditCost | null {
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = model
  const credits = creditsFor(model)
  if (input == null || output == null || credits <= 0) return null
  const budget = budgetFor(plan, model)
  const longest = longestMessageTokens(plan, model)
  const costOf = (tokens: Budget, inputPrice: number, fees = 0) =>
    Math.ceil(((tokens.inputTokens * inputPrice + tokens.outputTokens * output) / 1_000_000 + fees) / credits)
  // The provider refuses a request above the context window, so the window bounds the cost.
  const fitting = (tokens: number) => Math.min(tokens, model.contextTokens ?? tokens)
  const request = (inputTokens: number) => ({ inputTokens: fitting(inputTokens), outputTokens: budget.outputTokens })
  const allows = (mode: 'search' | 'research') => modeRefusal(mode, plan, model, null, 0) === null
  // The worst case: all input is written to the cache. The requests of a research are not cached.
  const cachedPrice = cacheWritePrice(model, input)
  const costs = {
    chatMicroDollars: costOf(request(budget.inputTokens), cachedPrice),
    longestMicroDollars: costOf(request(longest), cachedPrice),
    searchMicroDollars: allows('search')
      ? Math.max(...searches(longest, budget, fitting).map((search) => costOf(search, cachedPrice, webUsePerSearchTurn.fees)))
      : null,
    researchMicroDollars: allows('research')
      ? costOf(sumOf(researchInputs(longest, budget).map(request)), input, webUsePerResearchStep.fees * maxPlanSteps)
      : null,
  }
  return { ...budget, ...costs, highestMicroDollars: Math.max(...Object.values(costs).map((cost) => cost ?? 0)) }
}

const sumOf = (requests: readonly Budget[]): Budget => ({
  inputTokens: requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  outputTokens: requests.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
})

/**
 * The two most expensive courses of a turn in Search mode. Both end with two requests without tools: the answer, and one more if the model keeps
 * calling tools. With the longest message, only the first request has tools. With a shorter one, the requests with tools use up the budget of the
 * turn except for two requests. Those two also read the output and the results of the last request with tools.
 */
function searches(longest: number, budget: Budget, fitting: (tokens: number) => number): readonly Budget[] {
  const { outputTokens } = budget
  const turnBudget = toolBudget(budget)
  const shorter = Math.min(longest, turnBudget.inputTokens / 3)
  const afterTools = (first: number, outputs: number) => 2 * fitting(first + webUsePerSearchTurn.tokens + outputs * outputTokens)
  return [
    { inputTokens: fitting(longest) + afterTools(longest, 1), outputTokens: 3 * outputTokens },
    { inputTokens: turnBudget.inputTokens - shorter + afterTools(shorter, 2), outputTokens: turnBudget.outputTokens + outputTokens },
  ]
}

/** The input tokens of the research plan, of the notes of each step, and of the report, which reads all notes. */
function researchInputs(longest: number, { outputTokens }: Budget): readonly number[] {
  const words = wordsBeforeQuestion.maxChars + Math.min(longest, wordsOfQuestion.maxCharsEach)
  const notes = instructionTokens + words + webUsePerResearchStep.tokens
  return [longest, ...Array<number>(maxPlanSteps).fill(notes), longest + maxPlanSteps * (maxPlanStepChars + outputTokens)]
}

/** Revenue of PRO per credit if a subscriber uses all credits of 30 days. `unitAmount` is in cents of a US dollar. */
export const proMicroDollarsPerCredit = ({ unitAmount }: ProPrice = defaultProPrice): number =>
  Math.floor((unitAmount * 10_000) / (30 * creditsPerDay.pro))
