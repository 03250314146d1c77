/** Reasons why queued messages wait for the user. Pure. */
import { isResolvedBy, refusalCodes } from '../errors.ts'
import { isWaitingPlan, researchPlanOf } from '../research/research.ts'
import type { QueueHold } from '../schema.ts'
import { waitsForApproval } from '../tools/approvals.ts'
import type { AnswerMessage } from './messages.ts'

/** Holds that the ending of an answer causes. A new answer to the same question releases them. */
export const answerHolds: ReadonlySet<QueueHold> = new Set(['stopped', 'interrupted', 'failed', 'plan_waiting', 'approval_waiting'])

/** Holds of an answer that waits for the user's decision. */
export const isDecisionHold = (hold: QueueHold | null | undefined): boolean => hold === 'plan_waiting' || hold === 'approval_waiting'

/**
 * The hold that this answer causes. A waiting plan or call holds the queue, because the user can decide on it only while it is in the last
 * message.
 */
export const holdBehind = ({ metadata, parts }: AnswerMessage): QueueHold | null => {
  if (metadata.ending !== 'completed') return metadata.ending
  if (waitsForApproval(parts)) return 'approval_waiting'
  return isWaitingPlan(parts) && !researchPlanOf(parts)?.isDismissed ? 'plan_waiting' : null
}

/** True if choosing another model resolves the hold. */
export const isModelHold = (hold: QueueHold): boolean => isResolvedBy(hold, 'model')

/** True if sending without Search or Research resolves the hold. */
export const isModeHold = (hold: QueueHold): boolean => isResolvedBy(hold, 'mode')

/** True if a queued message waits for a daily limit. Such a message is sent automatically after the reset. */
export const isDailyHold = (hold: QueueHold | null | undefined): boolean => hold != null && isResolvedBy(hold, 'reset')

export const dailyHolds = refusalCodes.filter(isDailyHold)
