/**
 * Counts the requests of a turn with tools, to end the tools before the turn exceeds its budget of tokens (contract/models/context-budget.ts) or
 * its credits.
 */
import type { LanguageModelUsage, ModelMessage } from 'ai'
import { isFilePart } from '../../contract/files/files.ts'
import { type Budget, toolBudget } from '../../contract/models/context-budget.ts'
import { fileTokens, textTokens } from '../../contract/models/token-estimates.ts'
import type { ChatMessage } from '../../contract/threads/messages.ts'
import type { Spending } from './spending.ts'

export type ToolTokens = {
  /** The budget of one request. */
  readonly budget: Budget
  /** The tokens of the files in the history. A request has only placeholders for the files. */
  readonly fileTokens: number
  /** The tokens of the definitions of servers' tools, which are in every request. Those of the web are few. */
  readonly definitionTokens?: number
}

export const toolTokens = (budget: Budget, history: readonly ChatMessage[], definitionTokens = 0): ToolTokens => ({
  budget,
  fileTokens: fileTokensIn(history),
  definitionTokens,
})

export const fileTokensIn = (history: readonly ChatMessage[]): number =>
  history.flatMap(({ parts }) => parts.filter(isFilePart)).reduce((sum, file) => sum + fileTokens(file), 0)

type Step = { readonly usage: Pick<LanguageModelUsage, 'inputTokens' | 'outputTokens'> }

/**
 * Returns a function to call before each request: true if the request must be the last one and offer no tools. A request counts the input that
 * its provider reports, and at least the estimate: a provider may report nothing, and a PDF may have more tokens than estimated. The first request
 * has tools unless the credits do not suffice for an answer after them.
 */
export function toolMeter(
  { budget, fileTokens, definitionTokens = 0 }: ToolTokens,
  instructions: string,
  spending: Spending | null = null,
) {
  const total = toolBudget(budget)
  let sent = 0
  let newest = 0
  return (steps: readonly Step[], messages: readonly ModelMessage[]): boolean => {
    const reported = steps.at(-1)?.usage.inputTokens ?? 0
    sent += Math.max(newest, reported)
    newest = Math.max(reported, fileTokens + definitionTokens + textTokens(instructions) + textTokens(JSON.stringify(messages)))
    const written = steps.reduce((sum, { usage }) => sum + (usage.outputTokens ?? 0), 0)
    // The answer, and one more request if the model calls tools instead.
    const isOver = sent + 2 * newest > total.inputTokens || written + 2 * budget.outputTokens > total.outputTokens
    return (steps.length > 0 && isOver) || spending?.holdAnswer(newest, definitionTokens) === false
  }
}
