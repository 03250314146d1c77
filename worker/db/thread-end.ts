/** The end of a thread's shown path: enough messages for one screen, within a size limit. */
import type { ThreadEnd } from '../contract/first-page.ts'
import type { RowOf } from '../contract/schema.ts'

/** Chosen: more messages than the tallest screen shows, and a size without a visible delay on a phone. */
export const maxEndMessages = 20
export const maxEndChars = 16 * 1024

type Find = (messageId: string) => RowOf<'message'> | undefined

/** Walks from the head to the beginning. Null if the head alone exceeds the limit, because a thread without its end would mislead. */
export function threadEnd(thread: RowOf<'thread'>, find: Find): ThreadEnd | null {
  const messages: RowOf<'message'>[] = []
  let chars = 0
  let next = thread.headId ?? null
  while (next !== null && messages.length < maxEndMessages) {
    const message = find(next)
    // `maxEndMessages` also ends a walk through cyclic parents.
    if (!message || message.threadId !== thread.id) break
    // A deleted message hides its descendants, so the path is not shown.
    if (message.deletedAt != null) return null
    chars += JSON.stringify(message).length
    if (chars > maxEndChars) break
    messages.push(message)
    next = message.parentId ?? null
  }
  return messages.length === 0 ? null : { ...thread, messages: messages.reverse() }
}
