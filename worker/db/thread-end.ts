/** The end of the path on show in a thread: what fills a screen, within a size that a page may carry. */
import type { ThreadEnd } from '../contract/first-page.ts'
import type { RowOf } from '../contract/schema.ts'

/** Ours: more turns than the tallest screen shows, and a size that costs no visible time on a phone. */
export const maxEndMessages = 20
export const maxEndChars = 16 * 1024

type Find = (messageId: string) => RowOf<'message'> | undefined

/** Walks from the head towards the beginning. Null when not even the head fits: a conversation without its end would mislead. */
export function threadEnd(thread: RowOf<'thread'>, find: Find): ThreadEnd | null {
  const messages: RowOf<'message'>[] = []
  let chars = 0
  let next = thread.headId ?? null
  while (next !== null && messages.length < maxEndMessages) {
    const message = find(next)
    // A parent that is its own descendant would walk for ever; `maxEndMessages` ends that, too.
    if (!message || message.threadId !== thread.id) break
    // What was deleted is shown by nobody, and what stands on it neither.
    if (message.deletedAt != null) return null
    chars += JSON.stringify(message).length
    if (chars > maxEndChars) break
    messages.push(message)
    next = message.parentId ?? null
  }
  return messages.length === 0 ? null : { ...thread, messages: messages.reverse() }
}
