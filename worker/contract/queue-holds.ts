/** Reasons why queued messages wait for the user. Pure. */
import type { AnswerMessage } from './messages.ts'
import { isWaitingPlan, planOf } from './research.ts'
import type { QueueHold } from './schema.ts'

/** Holds that the ending of an answer causes. A new answer to the same question releases them. */
export const answerHolds: ReadonlySet<QueueHold> = new Set(['stopped', 'interrupted', 'failed', 'plan_waiting'])

/**
 * The hold that this answer causes. A waiting plan holds the queue, because it can be changed and started only while it is the last
 * message.
 */
export const holdBehind = ({ metadata, parts }: AnswerMessage): QueueHold | null => {
  if (metadata.ending !== 'completed') return metadata.ending
  return isWaitingPlan(parts) && !planOf(parts)?.isDismissed ? 'plan_waiting' : null
}

/** Holds caused by the model of the message. */
const modelHolds: ReadonlySet<QueueHold> = new Set([
  ...(['no_model', 'model_unavailable', 'model_retired', 'model_not_connected', 'model_not_installed', 'model_unreachable_now'] as const),
  ...(['account_required', 'premium_required', 'images_unsupported', 'documents_unsupported', 'tools_unsupported'] as const),
])

/** Holds caused by the mode of the message. */
const modeHolds: ReadonlySet<QueueHold> = new Set([
  ...(['tool_limit_reached', 'plan_limit_reached', 'search_unavailable', 'tools_unsupported'] as const),
  ...(['research_account_required', 'research_premium_required'] as const),
])

/** True if sending in Chat mode resolves the hold. */
export const isModeHold = (hold: QueueHold): boolean => modeHolds.has(hold)

/** True if choosing another model resolves the hold. */
export const isModelHold = (hold: QueueHold): boolean => modelHolds.has(hold)
