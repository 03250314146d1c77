/** What this person has just taken away, on whichever device: all of them are told, so that any can undo it. */
import { useQuery } from '@rocicorp/zero/react'
import { useMemo } from 'react'
import { queryTtlMs } from '../../worker/contract/limits.ts'
import { textOf } from '../../worker/contract/messages.ts'
import { queries } from '../../worker/contract/queries.ts'

export type Deletion = {
  readonly kind: 'thread' | 'message'
  readonly id: string
  readonly threadId: string
  /** Its title, or what it said. */
  readonly words: string
  readonly deletedAt: number
}

const options = { ttl: queryTtlMs }

/** Ours: a clock that is wrong by less than this misses no deletion. One query for as long as this page is open. */
const toleranceMs = 10 * 60_000
const args = { since: Date.now() - toleranceMs }

export function useDeletions(): readonly Deletion[] {
  const [threads] = useQuery(queries.threads.deleted(args), options)
  const [messages] = useQuery(queries.messages.deleted(args), options)
  return useMemo(
    () => [
      ...threads.map(({ id, title, deletedAt }): Deletion => {
        return { kind: 'thread', id, threadId: id, words: title ?? '', deletedAt: deletedAt ?? 0 }
      }),
      ...messages.map(({ id, threadId, message, deletedAt }): Deletion => {
        return { kind: 'message', id, threadId, words: textOf(message), deletedAt: deletedAt ?? 0 }
      }),
    ],
    [threads, messages],
  )
}
