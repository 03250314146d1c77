/** Reasons why queued messages wait for the user. Pure. */
import { isResolvedBy, refusalCodes } from '../errors.ts'
import { isWaitingPlan, researchPlanOf } from '../research/research.ts'
import type { QueueHold } from '../schema.ts'
import type { AnswerMessage } from './messages.ts'

/** Holds that the ending of an answer causes. A new answer to the same question releases them. */
export const answerHolds: ReadonlySet<QueueHold> = new Set(['stopped', 'interrupted', 'failed', 'plan_waiting'])

/**
 * The hold that this answer causes. A waiting plan holds the queue, because it can be changed and started only while it is the last
 * message.
 */
export const holdBehind = ({ metadata, parts }: AnswerMessage): QueueHold | null => {
  if (metadata.ending !== 'completed') return metadata.ending
  return isWaitingPlan(parts) && !researchPlanOf(parts)?.isDismissed ? 'plan_waiting' : null
}

/** True if choosing another model resolves the hold. */
export const isModelHold = (hold: QueueHold): boolean => isResolvedBy(hold, 'model')

/** True if sending without Search or Research resolves the hold. */
export const isModeHold = (hold: QueueHold): boolean => isResolvedBy(hold, 'mode')

/** True if a queued message waits for a daily limit. Such a message is sent automatically after the reset. */
export const isDailyHold = (hold: QueueHold | null | undefined): boolean => hold != null && isResolvedBy(hold, 'reset')

export const dailyHolds = refusalCodes.filter(isDailyHold)
