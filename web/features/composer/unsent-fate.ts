/** What became of a message that an earlier page has sent, from the rows that this page holds. Pure. */
import type { Unsent } from '../../stores/outbox.ts'
import type { ThreadState } from '../../sync/hooks.ts'

/** `pending`: still on its way, the client will deliver it. `lost`: the server has said everything, and it is not among it. */
export type Fate = 'unknown' | 'pending' | 'confirmed' | 'lost'

export function fateOf({ messageId, sentAtMs }: Unsent, shown: ThreadState, isConnected: boolean): Fate {
  if (!isConnected || shown.state === 'loading') return 'unknown'
  if (shown.state === 'missing') return 'lost'
  const { messages, queue } = shown.thread
  const said = messages.find(({ id }) => id === messageId)
  if (said) {
    // The server puts its own time there, and only the server answers.
    const isAnswered = messages.some(({ parentId }) => parentId === messageId)
    return said.createdAt !== sentAtMs || isAnswered ? 'confirmed' : 'pending'
  }
  const queued = queue.find(({ id }) => id === messageId)
  if (!queued) return shown.isComplete ? 'lost' : 'unknown'
  // The browser counts on from the message before it when that one's time is ahead.
  const isOurTime = queued.createdAt === sentAtMs || queue.some(({ createdAt }) => createdAt + 1 === queued.createdAt)
  return isOurTime ? 'pending' : 'confirmed'
}
