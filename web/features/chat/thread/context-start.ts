/** Where the messages begin that the next request sends, by the rule that the server applies (worker/contract/context-budget.ts). */
import type { Plan } from '../../../../worker/contract/access.ts'
import { budgetFor, contextWindow, type PricedModel } from '../../../../worker/contract/context-budget.ts'
import type { ChatMessage } from '../../../../worker/contract/messages.ts'
import type { Turn } from '../message/turns.ts'

export type ContextStart = { readonly turnId: string; readonly keepsFirst: boolean }

const nextQuestion: ChatMessage = { id: 'next', role: 'user', parts: [] }

/** Null while the whole thread is sent. */
export function contextStart(turns: readonly Turn[], model: PricedModel, plan: Plan): ContextStart | null {
  const history = turns.flatMap((turn) => (turn.kind === 'live' ? [] : [turn.message]))
  const { from, keepsFirst } = contextWindow([...history, nextQuestion], budgetFor(plan, model).inputTokens)
  const turn = from === 0 ? undefined : turns[from]
  return turn ? { turnId: turn.id, keepsFirst } : null
}
