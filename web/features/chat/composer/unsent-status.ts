/** Resolves the outcome of a message that an earlier page sent, from the rows of this page. No side effects. */

import type { ThreadState } from '../../../sync/thread.ts'
import type { Unsent } from './outbox.ts'

/** `pending`: the sync client still has to deliver it. `rejected`: all rows are here, and the message is not among them. */
export type UnsentStatus = 'unknown' | 'pending' | 'confirmed' | 'rejected'

type Circumstances = {
  readonly shown: ThreadState
  /** The thread was deleted and can still be restored. The message may be one of its rows, which only a restored thread shows. */
  readonly isRestorable: boolean
  readonly isConnected: boolean
}

export function resolveUnsentStatus({ messageId, sentAtMs }: Unsent, { shown, isRestorable, isConnected }: Circumstances): UnsentStatus {
  if (!isConnected || shown.state === 'loading') return 'unknown'
  if (shown.state === 'missing') return isRestorable ? 'unknown' : 'rejected'
  const { messages, queue } = shown.thread
  const message = messages.find(({ id }) => id === messageId)
  if (message) {
    // The server replaces the time of the optimistic row, and only the server answers.
    const isAnswered = messages.some(({ parentId }) => parentId === messageId)
    return message.createdAt !== sentAtMs || isAnswered ? 'confirmed' : 'pending'
  }
  const queued = queue.find(({ id }) => id === messageId)
  if (!queued) return shown.isComplete ? 'rejected' : 'unknown'
  // The optimistic row has the time of the message before it plus one, if that is later than this browser's clock.
  const isOurTime = queued.createdAt === sentAtMs || queue.some(({ createdAt }) => createdAt + 1 === queued.createdAt)
  return isOurTime ? 'pending' : 'confirmed'
}
