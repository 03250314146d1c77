/** SQL conditions on queued messages. */
import { dailyHolds } from '../contract/threads/queue-holds.ts'

/**
 * Condition on a row of `queuedMessage`: the message is sent automatically, immediately or after the daily reset. The holds are constants,
 * so they are inlined.
 */
export const isSentAutomaticallySql = `(hold is null or hold in (${dailyHolds.map((hold) => `'${hold}'`).join(', ')}))`
