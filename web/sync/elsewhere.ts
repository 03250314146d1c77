/** Actions on unread answers, and the other browsers in which a thread is open. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { AnswerMessage } from '../../worker/contract/messages.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { type Action, act } from './actions.ts'
import { options } from './query-options.ts'
import { readableRows } from './readable-message.ts'
import type { ThreadRow } from './rows.ts'

type UnreadActions = {
  /** Call when the page has shown the answer that ended at `unreadAt`. */
  readonly markRead: (threadId: string, unreadAt: number) => Action
  /** Accepted for one page of all devices, which then notifies the user. */
  readonly claimNotice: (threadId: string, unreadAt: number) => Action
}

export function useUnreadActions(): UnreadActions {
  const zero = useZero()
  return useMemo(
    () => ({
      markRead: (threadId, unreadAt) => act(zero, () => zero.mutate(mutators.threads.markRead({ threadId, unreadAt }))),
      claimNotice: (threadId, unreadAt) => act(zero, () => zero.mutate(mutators.threads.claimNotice({ threadId, unreadAt }))),
    }),
    [zero],
  )
}

/** Reads the last answer of a thread from the rows in this browser. Null if this browser does not have it. */
export function useLastAnswer(): (thread: ThreadRow) => Promise<AnswerMessage | null> {
  const zero = useZero()
  return useCallback(
    async ({ headId }) => {
      const rows = headId == null ? [] : await zero.run(queries.messages.byIds({ messageIds: [headId] }))
      const message = readableRows(rows)[0]?.message
      return message?.role === 'assistant' ? message : null
    },
    [zero],
  )
}

/** The user agents of the other browsers that have the thread open. Other tabs of this browser are not counted. */
export function useOpenElsewhere(threadId: string): readonly string[] {
  const zero = useZero()
  const [rows] = useQuery(queries.presence.ofThread({ threadId }), options)
  const [ownGroup, setOwnGroup] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    void zero.clientGroupID.then((groupId) => isCurrent && setOwnGroup(groupId))
    return () => {
      isCurrent = false
    }
  }, [zero])
  return ownGroup === null ? [] : rows.filter(({ groupId }) => groupId !== ownGroup).map(({ userAgent }) => userAgent)
}
