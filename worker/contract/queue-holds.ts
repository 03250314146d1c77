/** Why what is queued behind an answer waits for the person. Pure. */
import type { AnswerMessage } from './messages.ts'
import { isWaitingPlan, planOf } from './research.ts'
import type { QueueHold } from './schema.ts'

/** What an answer is the reason of; whatever is asked next in its place lets go of it. */
export const answerHolds: ReadonlySet<QueueHold> = new Set(['stopped', 'interrupted', 'failed', 'plan_waiting'])

/** A plan asks its person something, and can be started or changed only as long as nothing is said behind it. */
export const holdBehind = ({ metadata, parts }: AnswerMessage): QueueHold | null => {
  if (metadata.ending !== 'completed') return metadata.ending
  return isWaitingPlan(parts) && !planOf(parts)?.isDismissed ? 'plan_waiting' : null
}

/** Each has its reason in the model that the message is for. */
const modelHolds: ReadonlySet<QueueHold> = new Set([
  ...(['no_model', 'model_unavailable', 'model_retired', 'model_not_connected', 'model_not_installed', 'model_unreachable_now'] as const),
  ...(['account_required', 'premium_required', 'images_unsupported', 'documents_unsupported', 'tools_unsupported'] as const),
])

/** Each has its reason in how the message is to be answered. */
const modeHolds: ReadonlySet<QueueHold> = new Set([
  ...(['tool_limit_reached', 'plan_limit_reached', 'search_unavailable', 'tools_unsupported'] as const),
  ...(['research_account_required', 'research_premium_required'] as const),
])

/** Whether to be answered without the web is an answer to what holds it. */
export const isModeHold = (hold: QueueHold): boolean => modeHolds.has(hold)

/** Whether another model is an answer to what holds it. */
export const isModelHold = (hold: QueueHold): boolean => modelHolds.has(hold)
