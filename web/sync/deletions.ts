/** What this person has just taken away, on whichever device: all of them are told, so that any can undo it. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useCallback, useMemo } from 'react'
import { withMoreBelow } from '../../worker/contract/branches.ts'
import { withoutMarks } from '../../worker/contract/found-text.ts'
import { maxMessageWindow, queryTtlMs, undoToastMs } from '../../worker/contract/limits.ts'
import { type ChatMessage, textOf } from '../../worker/contract/messages.ts'
import { queries } from '../../worker/contract/queries.ts'
import { serverNowMs } from '../lib/server-clock.ts'

export type Deletion = {
  readonly kind: 'thread' | 'message' | 'answer'
  readonly id: string
  readonly threadId: string
  /** Its title, or what it said. */
  readonly words: string
  readonly deletedAt: number
}

const options = { ttl: queryTtlMs }

/** Ours: what was deleted longer before this page was opened is nobody's to undo from a toast, whatever is unknown of the server's clock. */
const toleranceMs = 10 * 60_000
/** One query for as long as this page is open. Asked for once there is an identity, so the server's time is known. */
let args: { readonly since: number } | null = null

/** What a model wrote is Markdown; what a person wrote is as they wrote it. */
export const saidIn = (message: ChatMessage): Pick<Deletion, 'kind' | 'words'> =>
  message.role === 'user'
    ? { kind: 'message', words: textOf(message) }
    : { kind: 'answer', words: withoutMarks(textOf(message)).replace(/\s+/g, ' ').trim() }

/** How long the deletion can still be undone, by the server's clock, which has dated it; never longer than from now on. */
export const undoLeftMs = (deletedAt: number): number => Math.min(undoToastMs, deletedAt + undoToastMs - serverNowMs())

export function useDeletions(): readonly Deletion[] {
  args ??= { since: serverNowMs() - toleranceMs }
  const [threads] = useQuery(queries.threads.deleted(args), options)
  const [messages] = useQuery(queries.messages.deleted(args), options)
  return useMemo(
    () => [
      ...threads.map(({ id, title, deletedAt }): Deletion => {
        return { kind: 'thread', id, threadId: id, words: title ?? '', deletedAt: deletedAt ?? 0 }
      }),
      ...messages.map(({ id, threadId, message, deletedAt }): Deletion => {
        return { ...saidIn(message), id, threadId, deletedAt: deletedAt ?? 0 }
      }),
    ],
    [threads, messages],
  )
}

/** Undefined for a thread that this person has not just deleted, whoever has it. */
export function useDeletionOf(threadId: string): Deletion | undefined {
  return useDeletions().find(({ kind, id }) => kind === 'thread' && id === threadId)
}

/**
 * Whether a thread is gone for longer than it can be brought back: the server knows none, and none was deleted just now. Resolves only once
 * the server has said so.
 */
export function useIsGone(): (threadId: string) => Promise<boolean> {
  const zero = useZero()
  return useCallback(
    async (threadId) => {
      const since = Math.max(0, serverNowMs() - 2 * undoToastMs)
      const [thread, deleted] = await Promise.all([
        zero.run(queries.threads.one({ threadId }), { type: 'complete' }),
        zero.run(queries.threads.deleted({ since }), { type: 'complete' }),
      ])
      return thread === undefined && deleted.every(({ id, deletedAt }) => id !== threadId || undoLeftMs(deletedAt ?? 0) <= 0)
    },
    [zero],
  )
}

/** Whether more went with a message than its own answer, as far as this browser has the thread: rows below a deleted one stay. */
export function useTookMore(): (deletion: Deletion) => Promise<boolean> {
  const zero = useZero()
  return useCallback(
    async ({ kind, id, threadId }) => {
      if (kind === 'thread') return false
      // Of the rows that are here; who waited for others would offer the way back later.
      const messages = await zero.run(queries.messages.newest({ threadId, limit: maxMessageWindow })).catch(() => [])
      return withMoreBelow(messages).has(id)
    },
    [zero],
  )
}
