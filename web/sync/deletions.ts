/** The user's recent deletions on all devices. Each device offers to undo them. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queries } from '../../worker/contract/queries.ts'
import { withoutMarks } from '../../worker/contract/text.ts'
import { type ChatMessage, textOf } from '../../worker/contract/threads/messages.ts'
import { serverNowMs } from '../lib/server-clock.ts'
import { options } from './query-options.ts'

export type Deletion = {
  readonly kind: 'thread' | 'message' | 'answer'
  readonly id: string
  readonly threadId: string
  /** The thread's title or the message's text. */
  readonly text: string
  readonly deletedAt: number
}

/** Chosen: bounds the error of the estimated server time. Older deletions cannot be undone from a toast. */
const toleranceMs = 10 * 60_000
let args: { readonly since: number } | null = null

/** One query per page load. Created once there is an identity, so the server's time is known. */
function queryArgs() {
  args ??= { since: serverNowMs() - toleranceMs }
  return args
}

/** Model text is Markdown; user text is plain. */
export const describeMessage = (message: ChatMessage): Pick<Deletion, 'kind' | 'text'> =>
  message.role === 'user'
    ? { kind: 'message', text: textOf(message) }
    : { kind: 'answer', text: withoutMarks(textOf(message)).replace(/\s+/g, ' ').trim() }

/** Empty unless `isWanted`. */
export function useDeletions(isWanted = true): readonly Deletion[] {
  const [threads = []] = useQuery(isWanted && queries.threads.deleted(queryArgs()), options)
  const [messages = []] = useQuery(isWanted && queries.messages.deleted(queryArgs()), options)
  return useMemo(
    () => [
      ...threads.map(({ id, title, deletedAt }): Deletion => {
        return { kind: 'thread', id, threadId: id, text: title ?? '', deletedAt: deletedAt ?? 0 }
      }),
      ...messages.map(({ id, threadId, message, deletedAt }): Deletion => {
        return { ...describeMessage(message), id, threadId, deletedAt: deletedAt ?? 0 }
      }),
    ],
    [threads, messages],
  )
}

/** Undefined unless this user has just deleted the thread. */
export function useDeletionOf(threadId: string): Deletion | undefined {
  return useDeletions().find(({ kind, id }) => kind === 'thread' && id === threadId)
}
