/** The remaining work of a research, for its quote. Not in `research-cost.ts`, because every page loads that file. Pure. */
import type { QuotedTurn } from '../models/quote.ts'
import type { ChatMessage } from '../threads/messages.ts'
import { isWaitingPlan, researchPlanOf } from './research.ts'
import { findingsCallId, findingsOf, isFindings } from './research-calls.ts'

/** `answer`: the plan that is started, or the interrupted research that is continued. */
export function quotedContinuation(answer: ChatMessage): Pick<QuotedTurn, 'research' | 'paidCredits'> {
  const plan = researchPlanOf(answer.parts)
  if (!plan || answer.role !== 'assistant') return {}
  const { parts, metadata } = answer
  const known = new Set(parts.flatMap((part) => (isFindings(part) && findingsOf(part) !== null ? [part.toolCallId] : [])))
  const steps = plan.steps.filter(({ id }) => !known.has(findingsCallId(id))).length
  return { research: { steps, planMicroDollars: unpaidPlanCost(answer) }, paidCredits: metadata.paid?.credits ?? 0 }
}

/** The cost of a plan that is free until it is started. A plan above the day's unpaid turns was charged when it was made. */
export const unpaidPlanCost = (answer: ChatMessage): number =>
  answer.role === 'assistant' && isWaitingPlan(answer.parts) && answer.metadata.credits === 0 ? (answer.metadata.use?.microDollars ?? 0) : 0
