/** How many tokens one request may send to a model and receive from it, by plan and model. The cost of a turn is in `quote.ts`. */
import type { ModelAccess, Plan } from '../access.ts'
import type { ChatMessage } from '../threads/messages.ts'
import type { CachingModel } from './prompt-caching.ts'
import { instructionTokens, messageTokens } from './token-estimates.ts'

export type PricedModel = ModelAccess &
  CachingModel & {
    readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
    readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
    readonly contextTokens?: number | null | undefined
    readonly maxOutputTokens?: number | null | undefined
  }

export type Budget = { readonly inputTokens: number; readonly outputTokens: number }

/** Chosen: a long conversation for PRO, an average one for the other plans. A message with the most images fits. */
export const planBudgets: { readonly [P in Plan]: Budget } = {
  guest: { inputTokens: 20_000, outputTokens: 4_000 },
  free: { inputTokens: 32_000, outputTokens: 8_000 },
  pro: { inputTokens: 128_000, outputTokens: 16_000 },
}

/** Chosen: the smallest context window of the models in use. Applies if a connected server does not report a window. */
const unknownContextTokens = 32_000

export function budgetFor(plan: Plan, { contextTokens, maxOutputTokens }: PricedModel): Budget {
  const max = planBudgets[plan]
  const context = contextTokens ?? unknownContextTokens
  // At least half of the context window stays for the input.
  const outputTokens = Math.floor(Math.min(max.outputTokens, maxOutputTokens ?? max.outputTokens, context / 2))
  return { inputTokens: Math.min(max.inputTokens, context - outputTokens), outputTokens }
}

/** Chosen: requests of a thorough answer, which searches, reads pages in two steps and answers. */
const toolRequests = 4
/** Chosen: what the tools return in these requests on average. Two searches and three pages in English are 16,000 tokens. */
const toolResultTokens = 16_000
/** Chosen: the steps before the answer write calls and reasoning. */
const toolOutputs = 3

/**
 * The tokens of all requests of a turn with tools. Later requests than the first have tools while two more requests of
 * their size fit; then the model answers with the results that it has. The credits of the turn limit it, too (`spending.ts`).
 */
export const toolBudget = ({ inputTokens, outputTokens }: Budget): Budget => ({
  inputTokens: toolRequests * (inputTokens + toolResultTokens),
  outputTokens: toolOutputs * outputTokens,
})

/**
 * The limit for a page that a tool reads, in addition to `maxPageChars`. Chosen: 12,000 characters of English are 4,000 tokens. A page in Chinese
 * ends after 6,000 characters, which contain about as much.
 */
export const maxPageTokens = 6_000

/**
 * The most tokens that the model receives of the result of a call that the user allowed. The quote of the turn counts them for each call. Chosen:
 * as for a page; `maxResultChars` of English are 5,400 tokens.
 */
export const maxAllowedResultTokens = 6_000

/** True if the message exceeds the budget. It is not sent, because a message cannot be shortened. */
export const isMessageTooLong = (message: Pick<ChatMessage, 'parts'>, plan: Plan, model: PricedModel): boolean =>
  messageTokens(message) > budgetFor(plan, model).inputTokens - instructionTokens
