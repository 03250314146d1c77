/**
 * The cost of a turn in credits, known before it is sent. The credits of the model are the minimum. Above it a turn costs what its tokens and
 * its searches cost at the price of a credit. The server reserves credits by this quote and settles them by the recorded use; the composer
 * shows the same quote. A model without a price costs its credits alone.
 */
import { creditsFor, type Plan } from '../access.ts'
import { maxGuestTurnCredits } from '../limits.ts'
import { defaultProPrice, type ProPrice } from '../organizations/pro-price.ts'
import { type Budget, budgetFor, maxAllowedResultTokens, type PricedModel, toolBudget } from './context-budget.ts'
import type { TurnMode } from './modes.ts'
import { cacheWritePrice } from './prompt-caching.ts'
import { summaryCost } from './summary-job.ts'
import { instructionTokens } from './token-estimates.ts'
import { readPageTool, searchTool } from './tools.ts'

/** All credits of PRO in a month. */
const proCreditsPerMonth = 6_000

/**
 * Chosen: the part of PRO's price that its credits pay for. The rest covers the fee of the payment, titles, readings for the memory, and turns that end
 * without a charge (tests/unit/setup/credit-cost.test.ts, ADR 0158).
 */
const creditShare = 0.93

/** The price of a credit at which PRO earns if all credits of a month are used. `unitAmount` is in cents of a US dollar. */
export const creditMicroDollarsAt = ({ unitAmount }: Pick<ProPrice, 'unitAmount'>): number =>
  Math.floor((unitAmount * 10_000 * creditShare) / proCreditsPerMonth)

/** The price of a credit that CREDIT_MICRO_DOLLARS replaces. */
export const defaultCreditMicroDollars = creditMicroDollarsAt(defaultProPrice)

/** Credits. `expected` is shown and must be available. At most `most` are reserved. */
export type Quote = { readonly minimum: number; readonly expected: number; readonly most: number }

export type QuotedModel = PricedModel & {
  readonly capabilities?: readonly string[] | null | undefined
  readonly provider?: string | undefined
}

/** The research of a plan. */
type QuotedResearch = {
  /** The steps without notes. */
  readonly steps: number
  /** The cost of the plan, which is paid with the research. */
  readonly planMicroDollars: number
}

export type QuotedTurn = {
  readonly model: QuotedModel
  readonly plan: Plan
  readonly mode: TurnMode
  /** True for a turn in chat mode that may use tools. */
  readonly mayUseTools?: boolean | undefined
  readonly effort?: string | null | undefined
  /** The input of its first request, with the definitions of tools (`turnQuote` in turn-quote.ts) and without the results of allowed calls. */
  readonly inputTokens: number
  /** The tokens of the messages that it summarizes before. */
  readonly summarizedTokens?: number | undefined
  /** The tools of the allowed calls that the turn makes before its first request. */
  readonly allowedTools?: readonly string[] | undefined
  /** Absent: the turn is an answer, or makes a plan. */
  readonly research?: QuotedResearch | undefined
  /** The most credits of an answer in this thread, as its user set it. A research has no such limit. */
  readonly turnCredits?: number | null | undefined
  /** Credits that the continued research has paid. They count against what the rest of it costs. */
  readonly paidCredits?: number | undefined
}

/** Chosen: an answer of 450 words in English. */
const answerTokens = 600
/** Chosen: as much again for the reasoning of a model that reasons. */
const reasoningTokens = 600
/** Chosen: the words of a model that calls a tool. */
const callTokens = 200

/** Chosen: one search and two pages, which three requests find, read and use. */
const expectedToolUse = { requests: 3, searches: 1, pages: 2, resultTokens: 11_000 } as const
/** Chosen: a turn with tools may cost twice what is expected, unless the user set a limit. */
const turnLimitFactor = 2

/** Chosen: two searches and three pages in English for each step of a research. */
const stepResultTokens = 13_000
/** Chosen: the words that the notes of a step receive of the conversation, at most. */
const stepHistoryTokens = 8_000
const searchesPerStep = 2
const pagesPerStep = 3
const reportTokens = 3_000
/** Chosen: a research that costs more than this ends its steps early. */
const researchFactor = 1.5

/** The cost of a call besides tokens: https://exa.ai/docs/admin/pricing, 2026-11-23 */
const toolMicroDollars: ReadonlyMap<string, number> = new Map([
  [searchTool, 7_000],
  [readPageTool, 1_000],
])
export const toolFee = (tool: string): number => toolMicroDollars.get(tool) ?? 0

/** The input of the notes of one step, and the fees of its searches and pages. `inputTokens`: of the request with the conversation. */
export const researchStep = (inputTokens: number): { readonly inputTokens: number; readonly fees: number } => ({
  inputTokens: instructionTokens + Math.min(inputTokens, stepHistoryTokens) + stepResultTokens,
  fees: webFees(searchesPerStep, pagesPerStep),
})

export const researchReport = (inputTokens: number, noteTokens: number): Budget => ({
  inputTokens: inputTokens + noteTokens,
  outputTokens: reportTokens,
})

const webFees = (searches: number, pages: number): number => searches * toolFee(searchTool) + pages * toolFee(readPageTool)
export const expectedToolFees = webFees(expectedToolUse.searches, expectedToolUse.pages)

/** The prices of a token in micro-dollars, or null if the model has no price. `written`: of input that the provider writes to its cache. */
export function tokenPrices(model: PricedModel): { readonly input: number; readonly written: number; readonly output: number } | null {
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = model
  if (input == null || output == null) return null
  return { input: input / 1_000_000, written: cacheWritePrice(model, input / 1_000_000), output: output / 1_000_000 }
}

const creditsOf = (microDollars: number, creditMicroDollars: number): number => Math.ceil(microDollars / creditMicroDollars)

/** The output of an answer that the quote expects. */
export const expectedOutput = ({ capabilities }: QuotedModel, effort?: string | null): number =>
  answerTokens + (capabilities?.includes('reasoning') && effort !== 'none' ? reasoningTokens : 0)

type Cost = { readonly expected: number; readonly most: number }

export function quoteFor(turn: QuotedTurn, creditMicroDollars: number): Quote {
  const { model, plan, mode, summarizedTokens = 0, turnCredits, paidCredits = 0 } = turn
  const rest = (credits: number) => Math.max(0, credits - paidCredits)
  const minimum = creditsFor(model)
  const cost = costOf(turn)
  const summary = summaryCost(plan, model, summarizedTokens)
  const expected = Math.max(minimum, cost ? creditsOf(cost.expected + summary, creditMicroDollars) : 0)
  const most = Math.max(expected, cost ? creditsOf(cost.most + summary, creditMicroDollars) : 0)
  const ofThread = mode === 'research' ? Number.POSITIVE_INFINITY : (turnCredits ?? Number.POSITIVE_INFINITY)
  const ofPlan = plan === 'guest' ? maxGuestTurnCredits : Number.POSITIVE_INFINITY
  const limited = Math.max(expected, Math.min(most, ofThread, ofPlan))
  return { minimum: rest(minimum), expected: rest(expected), most: rest(limited) }
}

/** True if an answer is expected to cost more than the limit of its thread. */
export const exceedsTurnLimit = ({ expected }: Quote, { mode, turnCredits }: Pick<QuotedTurn, 'mode' | 'turnCredits'>): boolean =>
  mode !== 'research' && turnCredits != null && expected > turnCredits

/** In micro-dollars. Null without a price. */
function costOf(turn: QuotedTurn): Cost | null {
  const { model, plan, mode, mayUseTools = false, effort, allowedTools = [], research } = turn
  const inputTokens = turn.inputTokens + allowedTools.length * maxAllowedResultTokens
  const fees = allowedTools.reduce((sum, tool) => sum + toolFee(tool), 0)
  const prices = tokenPrices(model)
  if (!prices) return null
  const output = expectedOutput(model, effort)
  const budget = { inputTokens, outputTokens: budgetFor(plan, model).outputTokens }
  const at = (tokens: Budget, price: number) => tokens.inputTokens * price + tokens.outputTokens * prices.output
  if (research) {
    const { steps, planMicroDollars } = research
    const step = researchStep(inputTokens)
    const report = researchReport(inputTokens, steps * output)
    const tokens = { inputTokens: steps * step.inputTokens + report.inputTokens, outputTokens: steps * output + report.outputTokens }
    const expected = planMicroDollars + at(tokens, prices.input) + steps * step.fees
    return { expected, most: researchFactor * expected }
  }
  const answer = { expected: fees + at({ inputTokens, outputTokens: output }, prices.written), most: fees + at(budget, prices.written) }
  if (mode !== 'search' && !mayUseTools) return answer
  const { requests, resultTokens } = expectedToolUse
  const tokens = { inputTokens: requests * inputTokens + resultTokens, outputTokens: output + (requests - 1) * callTokens }
  const withTools = fees + at(tokens, prices.written) + expectedToolFees
  const limit = turn.turnCredits == null ? turnLimitFactor * withTools : Number.POSITIVE_INFINITY
  return {
    expected: mode === 'search' ? withTools : answer.expected,
    most: Math.min(limit, fees + at(toolBudget(budget), prices.written)),
  }
}

/** Chosen: a turn leaves half of the credits that it may not need, so that other threads can be used while it runs. */
const reservedShare = 1 / 2

/**
 * The credits to reserve for the turns of one message: what is expected, and up to `most` a share of the remaining credits. Null if `available`
 * does not suffice for what is expected.
 */
export function reservationsFor(quotes: readonly Quote[], available: number): readonly number[] | null {
  const sum = (of: (quote: Quote) => number) => quotes.reduce((total, quote) => total + of(quote), 0)
  const rest = available - sum(({ expected }) => expected)
  if (rest < 0) return null
  const wanted = sum(({ most, expected }) => most - expected)
  const share = Math.min(1, (rest * reservedShare) / Math.max(1, wanted))
  return quotes.map(({ expected, most }) => expected + Math.floor((most - expected) * share))
}

/** What settling a turn needs. */
export type TurnPrice = Pick<Quote, 'minimum' | 'expected'> & { readonly creditMicroDollars: number }

/** `microDollars`: the known costs. `isKnown`: no request of the turn has an unknown cost. */
type UsedMoney = { readonly microDollars: number; readonly isKnown: boolean }

/** The credits that a charged turn costs. Use that is unknown counts as expected. */
export function settledCredits(
  { minimum, expected, creditMicroDollars }: TurnPrice,
  { microDollars, isKnown }: UsedMoney,
  reserved: number,
): number {
  const used = Math.max(isKnown ? minimum : expected, creditsOf(microDollars, creditMicroDollars))
  return Math.min(reserved, used)
}
