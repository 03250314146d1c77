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
