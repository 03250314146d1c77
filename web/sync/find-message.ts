/** Whether the message of a closed page has arrived. Loads with the resender. */
import type { Zero } from '@rocicorp/zero'
import { queries } from '../../worker/contract/queries.ts'
import { isPermanentlyDeleted } from './deletion-checks.ts'
import { type Found, noMessage } from './repeatable-writes.ts'

/** Chosen: an Undo that was pressed in the last second must still reach this page. */
const undoMarginMs = 5000

const complete = { type: 'complete' } as const

/** `at`: the time of the optimistic row. */
type Sent = { readonly messageId: string; readonly threadId: string; readonly answerId: string; readonly at: number }

export async function findMessage(zero: Zero, { messageId, threadId, answerId, at }: Sent, saw: readonly unknown[]): Promise<Found> {
  const thread = await zero.run(queries.threads.one({ threadId }), complete)
  if (!thread) {
    if (!(await isPermanentlyDeleted(zero, threadId, undoMarginMs))) return undefined
    return saw.includes(noMessage.asFirst) ? { value: noMessage.asFirst } : null
  }
  const rows = await zero.run(queries.messages.byIds({ messageIds: [messageId, answerId] }), complete)
  const message = rows.find(({ id }) => id === messageId)
  const queued = thread.queue.find(({ id }) => id === messageId)
  // The server replaces the time of the optimistic row, and only the server answers. The optimistic row of a queued message has the time of the
  // one before it plus one, if that is later than this browser's clock.
  const isOptimistic = message
    ? message.createdAt === at && rows.length === 1
    : queued && (queued.createdAt === at || thread.queue.some(({ createdAt }) => createdAt + 1 === queued.createdAt))
  if (isOptimistic) return undefined
  return { value: message || queued ? 'message' : noMessage.inThread }
}
