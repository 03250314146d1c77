/**
 * The highest cost of a credit by plan, model and mode, in micro-dollars: what the most expensive turn costs, divided by the credits that it is
 * charged. The price of a credit bounds it, because the requests of a turn stay within its reserved credits (chat/model/spending.ts). The setup
 * page and `npm run credit-costs` show these numbers to operators.
 *
 * Unpaid turns (`unpaidTurnsPerDay`), titles, readings for the memory, and requests that are repeated after a crash are not included: `creditMicroDollarsAt`
 * leaves a part of PRO's price for them.
 */
import { modeRefusal, type Plan } from '../contract/access.ts'
import type { Capability } from '../contract/files/files.ts'
import { maxPageReadsPerTurn, maxPlanSteps, maxSearchesPerTurn } from '../contract/limits.ts'
import { type Budget, budgetFor, maxPageTokens, type PricedModel, toolBudget } from '../contract/models/context-budget.ts'
import type { TurnMode } from '../contract/models/modes.ts'
import { type Quote, quoteFor, settledCredits, tokenPrices, toolFee } from '../contract/models/quote.ts'
import { instructionTokens } from '../contract/models/token-estimates.ts'
import { readPageTool, searchTool } from '../contract/models/tools.ts'

export type CostedModel = PricedModel & { readonly capabilities?: readonly Capability[] | null | undefined }

/** `microDollars`: the highest cost of a credit. */
export type TurnCost = { readonly quote: Quote; readonly microDollars: number }

type CreditCost = {
  /** A message without a thread before it. */
  readonly first: TurnCost
  /** The longest conversation that the plan sends. */
  readonly longest: TurnCost
  /** Null if the model cannot search. */
  readonly search: TurnCost | null
  /** A research of eight steps. Null if the user's plan or the model allows no research. */
  readonly research: TurnCost | null
  /** The highest of these costs. */
  readonly highestMicroDollars: number
}

/** Chosen: six results (chat/tools/exa.ts) of about 1,000 characters with title, snippet and address. `textTokens` counts at most one token per character. */
const tokensPerSearch = 6_000
const webTokens = maxSearchesPerTurn * tokensPerSearch + maxPageReadsPerTurn * maxPageTokens
const webFees = maxSearchesPerTurn * toolFee(searchTool) + maxPageReadsPerTurn * toolFee(readPageTool)
/** Chosen: a question of a few sentences. */
const firstInputTokens = instructionTokens + 100

/** Null for a model without a price. */
export function creditCost(plan: Plan, model: CostedModel, creditMicroDollars: number): CreditCost | null {
  const prices = tokenPrices(model)
  if (!prices) return null
  const longest = budgetFor(plan, model)
  const costOf = ({ inputTokens, outputTokens }: Budget, fees = 0) => inputTokens * prices.written + outputTokens * prices.output + fees
  const turnCost = (mode: TurnMode, inputTokens: number, unlimited: number): TurnCost => {
    const research = mode === 'research' ? { steps: maxPlanSteps, planMicroDollars: 0 } : undefined
    const quote = quoteFor({ model, plan, mode, inputTokens, research }, creditMicroDollars)
    // A user with few credits left reserves what is expected.
    const costs = [quote.expected, quote.most].map((reserved) => {
      const microDollars = Math.min(unlimited, reserved * creditMicroDollars)
      return microDollars / Math.max(1, settledCredits({ ...quote, creditMicroDollars }, { microDollars, isKnown: true }, reserved))
    })
    return { quote, microDollars: Math.ceil(Math.max(...costs)) }
  }
  const allows = (mode: 'search' | 'research') => modeRefusal(mode, plan, model, null, 0) === null
  const turns = {
    first: turnCost('chat', firstInputTokens, costOf({ ...longest, inputTokens: firstInputTokens })),
    longest: turnCost('chat', longest.inputTokens, costOf(longest)),
    search: allows('search') ? turnCost('search', longest.inputTokens, costOf(largestSearch(longest), webFees)) : null,
    research: allows('research') ? turnCost('research', longest.inputTokens, Number.POSITIVE_INFINITY) : null,
  }
  return { ...turns, highestMicroDollars: Math.max(...Object.values(turns).map((cost) => cost?.microDollars ?? 0)) }
}

/** The budget of a turn with tools, and two requests that read all results: the answer, and one more if the model keeps calling tools. */
function largestSearch(budget: Budget): Budget {
  const { inputTokens, outputTokens } = toolBudget(budget)
  return { inputTokens: inputTokens + 2 * (budget.inputTokens + webTokens), outputTokens: outputTokens + 2 * budget.outputTokens }
}
