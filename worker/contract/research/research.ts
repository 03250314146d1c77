/**
 * A research as stored in messages. The plan is an answer of its own, which costs nothing and can be changed until it is started. The
 * report is another version of that answer and begins with the plan. Its tool calls are in `research-calls.ts`. Pure.
 */

import type { ReadonlyJSONValue } from '@rocicorp/zero'
import { isRecord } from '../is-record.ts'
import { maxPlanSteps } from '../limits.ts'
import { isToolPart } from '../models/tools.ts'
import type { AnswerMessage, MessagePart, ToolPart } from '../threads/messages.ts'

export const planTool = 'plan'

/**
 * The text before the question that each step of a research receives, because a question such as "and in Germany?" depends on it. Chosen: the
 * last few messages.
 */
export const wordsBeforeQuestion = { maxChars: 16_000, maxCharsEach: 4_000 } as const
/** The beginning of the question that each step receives. Chosen: the plan and the report read the whole question, and a step has its own text. */
export const wordsOfQuestion = { maxChars: Number.POSITIVE_INFINITY, maxCharsEach: 8_000 } as const

/** `queries`: search queries. A step added by the user has none; its text is the query. */
export type PlanStep = { readonly id: string; readonly text: string; readonly queries: readonly string[] }
export type ResearchPlan = {
  readonly steps: readonly PlanStep[]
  readonly isDismissed?: true
  /** The newest answer that carries out the plan. A client must send this id to start the plan again. */
  readonly startedAs?: string
}

export const isPlan = (part: MessagePart): part is ToolPart => part.type === `tool-${planTool}`
/** Null without a valid plan. */
export function researchPlanOf(parts: readonly MessagePart[]): ResearchPlan | null {
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

/** True for a plan that waits for the user: the message contains no further work. */
export const isWaitingPlan = (parts: readonly MessagePart[]): boolean =>
  researchPlanOf(parts) !== null && !parts.some((part) => part.type === 'text' || (isToolPart(part) && !isPlan(part)))

export const withPlan = (message: AnswerMessage, plan: ResearchPlan): AnswerMessage => ({
  ...message,
  parts: message.parts.map((part) => (isPlan(part) ? { ...part, output: plan } : part)),
})

const isStep = (value: ReadonlyJSONValue): value is PlanStep =>
  isRecord(value) &&
  typeof value.id === 'string' &&
  typeof value.text === 'string' &&
  Array.isArray(value.queries) &&
  value.queries.every((query) => typeof query === 'string')
