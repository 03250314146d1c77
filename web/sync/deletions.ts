/** The user's recent deletions on all devices. Each device offers to undo them. */
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
  /** The thread's title or the message's text. */
  readonly words: string
  readonly deletedAt: number
}

const options = { ttl: queryTtlMs }

/** Chosen: bounds the error of the estimated server time. Older deletions cannot be undone from a toast. */
const toleranceMs = 10 * 60_000
/** One query per page load. Created once there is an identity, so the server's time is known. */
let args: { readonly since: number } | null = null

/** Model text is Markdown; user text is plain. */
export const describeMessage = (message: ChatMessage): Pick<Deletion, 'kind' | 'words'> =>
  message.role === 'user'
    ? { kind: 'message', words: textOf(message) }
    : { kind: 'answer', words: withoutMarks(textOf(message)).replace(/\s+/g, ' ').trim() }

/** The remaining undo time by the server's clock, which dated the deletion; at most the full undo time. */
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

/**
 * Resolves with true if a thread is deleted beyond undo: the server has no such row and no recent deletion of it. Waits for the server's
 * response.
 */
export function useIsPermanentlyDeleted(): (threadId: string) => Promise<boolean> {
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

/** True if the deletion hid more than the message and its answer, judged by local rows: rows below a deleted one remain. */
export function useTookMore(): (deletion: Deletion) => Promise<boolean> {
  const zero = useZero()
  return useCallback(
    async ({ kind, id, threadId }) => {
      if (kind === 'thread') return false
      // Local rows only; waiting for the server would delay the undo toast.
      const messages = await zero.run(queries.messages.newest({ threadId, limit: maxMessageWindow })).catch(() => [])
      return withMoreBelow(messages).has(id)
    },
    [zero],
  )
}

/** Deletions made by this page, each with the follow-up of its undo. */
const followUps = new Map<string, () => void>()

export const announceOwnDeletion = (id: string, whenUndone: () => void = () => {}): void => void followUps.set(id, whenUndone)

/** Undefined for a deletion made by another page. */
export const ownDeletion = (id: string): (() => void) | undefined => followUps.get(id)

export const removeOwnDeletion = (id: string): void => void followUps.delete(id)
