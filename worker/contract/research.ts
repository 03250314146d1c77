/**
 * A research as it is kept in messages. Its plan is an answer of its own, which spends nothing and can be changed until it is approved;
 * what carries it out is another version of that answer, which begins with the plan. Every call names its step in its input and in its
 * id, so the parts alone say what has been done and what has not. Pure.
 */

import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { isRecord } from './is-record.ts'
import { maxPlanSteps } from './limits.ts'
import type { AnswerMessage, MessagePart, ToolPart } from './messages.ts'
import { isPageRead, isSearch, isToolPart } from './tools.ts'

export const planTool = 'plan'
export const findingsTool = 'findings'

/** `queries` are what is searched for; a step that a person wrote has none, and is searched for as it stands. */
export type PlanStep = { readonly id: string; readonly text: string; readonly queries: readonly string[] }
export type Plan = {
  readonly steps: readonly PlanStep[]
  readonly isDismissed?: true
  /** The answer that carries it out, the last of them when there were several. Whoever starts it names it, and so knows of it. */
  readonly startedAs?: string
}

export const isPlan = (part: MessagePart): part is ToolPart => part.type === `tool-${planTool}`
export const isFindings = (part: MessagePart): part is ToolPart => part.type === `tool-${findingsTool}`
/** Everything that a research does before it writes. */
export const isResearchWork = (part: MessagePart): part is ToolPart =>
  isPlan(part) || isFindings(part) || ((isSearch(part) || isPageRead(part)) && stepOf(part) !== null)

/** Null while there is none that could be read. */
export function planOf(parts: readonly MessagePart[]): Plan | null {
  const part = parts.find(isPlan)
  if (part?.state !== 'output-available' || !isRecord(part.output) || !Array.isArray(part.output.steps)) return null
  const steps = (part.output.steps as readonly ReadonlyJSONValue[]).flatMap((step) => (isStep(step) ? [step] : []))
  const { isDismissed, startedAs } = part.output
  return {
    steps: steps.slice(0, maxPlanSteps),
    ...(isDismissed === true ? { isDismissed } : {}),
    ...(typeof startedAs === 'string' ? { startedAs } : {}),
  }
}

/** A plan that waits for the person: nothing of it has been carried out in this message. */
export const isWaitingPlan = (parts: readonly MessagePart[]): boolean =>
  planOf(parts) !== null && !parts.some((part) => part.type === 'text' || (isToolPart(part) && !isPlan(part)))

/**
 * Whether one of these, the versions of the answer that the plan is, has carried it out. One that was deleted since, or stayed behind when
 * the thread was forked, has left the plan to be started again.
 */
export const isCarriedOut = ({ startedAs }: Plan, planId: string, versions: readonly string[]): boolean =>
  startedAs !== undefined && startedAs !== planId && versions.includes(startedAs)

/** As a person would write it down. */
export const planText = ({ steps }: Plan): string => steps.map(({ text }, index) => `${index + 1}. ${text}`).join('\n')

export const withPlan = (message: AnswerMessage, plan: Plan): AnswerMessage => ({
  ...message,
  parts: message.parts.map((part) => (isPlan(part) ? { ...part, output: plan } : part)),
})

/** The step that a call was made for. */
export const stepOf = ({ input }: ToolPart): string | null => (isRecord(input) && typeof input.step === 'string' ? input.step : null)

/** What was found out for a step; null while it is not written. */
export const findingsOf = (part: ToolPart): string | null =>
  isFindings(part) && part.state === 'output-available' && isRecord(part.output) && typeof part.output.text === 'string'
    ? part.output.text
    : null

export const searchCallId = (step: string, index: number): string => `search-${step}-${index}`
export const pageCallId = (step: string, index: number): string => `page-${step}-${index}`
export const findingsCallId = (step: string): string => `findings-${step}`

const isStep = (value: ReadonlyJSONValue): value is PlanStep =>
  isRecord(value) &&
  typeof value.id === 'string' &&
  typeof value.text === 'string' &&
  Array.isArray(value.queries) &&
  value.queries.every((query) => typeof query === 'string')
