/**
 * The request and the quote of a turn from its rows. The server reserves and starts a turn by these functions, and the page shows their figures
 * before, so both agree whenever they have the same rows.
 */
import { maxPromptMemoryTokens } from '../limits.ts'
import { quotedContinuation } from '../research/research-quote.ts'
import type { ChatMessage } from '../threads/messages.ts'
import { allowedTools } from '../tools/allowed-calls.ts'
import { type Budget, budgetFor } from './context-budget.ts'
import { type RequestTexts, sentRequest } from './context-window.ts'
import { type EffortModel, effortFor } from './effort.ts'
import { exceedsTurnLimit, type Quote, type QuotedModel, type QuotedTurn, quoteFor } from './quote.ts'

type PathMessage = {
  readonly parentId?: string | null | undefined
  readonly deletedAt?: number | null | undefined
  readonly message: ChatMessage
}

type RequestRows = Omit<RequestTexts, 'continued' | 'memoryTokens'> & {
  readonly mode: QuotedTurn['mode']
  /** From the first message to the question. */
  readonly path: readonly PathMessage[]
  /** The answer that the turn continues. */
  readonly continued?: ChatMessage | undefined
  /** True if the thread uses memory (`usesMemory`). Space for the most facts is kept then, because the window must not depend on the chosen ones. */
  readonly hasMemory: boolean
  /**
   * Set if the beginning of the path is not loaded, as on a page with a long thread: the input of the request is at least this, unless it
   * contains a stored summary.
   */
  readonly leastInputTokens?: number | undefined
}

/**
 * The first request of the turn. `writesSummary`: the turn writes a summary first. A research reads the newest messages and stored
 * summaries. A broken path has no summaries: they would cover other messages.
 */
export function turnRequest({ mode, path, continued, summaries = [], hasMemory, leastInputTokens, ...texts }: RequestRows, budget: Budget) {
  const isLoaded = leastInputTokens === undefined
  const isIntact = path.every(({ deletedAt }) => deletedAt == null) && (!isLoaded || path[0]?.parentId == null)
  const history = path.map(({ message }) => message)
  // A research gets no facts.
  const memoryTokens = hasMemory && mode !== 'research' ? maxPromptMemoryTokens : 0
  const given = { ...texts, continued: continued?.parts, memoryTokens, summaries: isIntact ? summaries : [] }
  const sent = sentRequest(history, budget, given, isLoaded)
  const writesSummary = sent.needsSummary && isIntact && mode !== 'research'
  const isSummarized = sent.from > 0 && !sent.isCut
  return {
    ...sent,
    writesSummary,
    summarizedTokens: writesSummary ? sent.summarizedTokens : 0,
    inputTokens: isSummarized ? sent.inputTokens : Math.max(sent.inputTokens, Math.min(leastInputTokens ?? 0, budget.inputTokens)),
  }
}

export type QuotedRows = RequestRows &
  Pick<QuotedTurn, 'plan' | 'turnCredits'> & {
    readonly model: QuotedModel & EffortModel
    /** As requested. */
    readonly effort: string | null | undefined
    /** The tokens of the servers that the thread uses (`definitionTokens` in server-definitions.ts). Each request with tools sends them. */
    readonly definitionTokens: number
  }

export type TurnQuote = Quote & {
  /** The input of the first request. */
  readonly inputTokens: number
  /** The part of it for the definitions of servers' tools. */
  readonly toolTokens: number
  /** True if an answer is expected to cost more than the limit of its thread. */
  readonly exceedsLimit: boolean
}

export function turnQuote(
  { model, plan, mode, effort, turnCredits, definitionTokens, ...rows }: QuotedRows,
  creditMicroDollars: number,
): TurnQuote {
  const { continued } = rows
  const mayUseTools = model.capabilities?.includes('tools') ?? false
  // A research has the tools of the web alone.
  const toolTokens = mayUseTools && mode !== 'research' ? definitionTokens : 0
  // The input of an earlier request may contain definitions.
  const least = rows.leastInputTokens === undefined ? {} : { leastInputTokens: Math.max(0, rows.leastInputTokens - toolTokens) }
  const request = turnRequest({ mode, ...rows, ...least }, budgetFor(plan, model))
  const { summarizedTokens } = request
  const inputTokens = request.inputTokens + toolTokens
  const quoted: QuotedTurn = {
    ...{ model, plan, mode, effort: effortFor(model, effort), inputTokens, summarizedTokens, turnCredits },
    mayUseTools,
    allowedTools: continued && allowedTools(continued.parts),
    ...(mode === 'research' && continued && quotedContinuation(continued)),
  }
  const quote = quoteFor(quoted, creditMicroDollars)
  return { ...quote, inputTokens, toolTokens, exceedsLimit: exceedsTurnLimit(quote, quoted) }
}
