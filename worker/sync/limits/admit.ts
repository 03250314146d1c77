/**
 * Which of the mutations that arrived may be applied now. Pure but for `take`. Order is kept: behind the first that has to wait, whatever
 * came over the same connection waits too, because a mutation cannot be applied before the one in front of it.
 */
import type { PushedMutation } from '../push/pending.ts'

export type Allowance = { readonly admitted: readonly PushedMutation[]; readonly refused: readonly PushedMutation[] }

export type Gate = {
  /** Whether this connection has been told to wait. */
  readonly isLimited: (socket: WebSocket) => boolean
  readonly lastMutationID: (groupID: string, clientID: string) => number
  readonly take: (wanted: number) => number
}

export function admit(pushed: readonly PushedMutation[], { isLimited, lastMutationID, take }: Gate): Allowance {
  const isDone = ({ groupID, mutation }: PushedMutation) => mutation.id <= lastMutationID(groupID, mutation.clientID)
  const isNew = pushed.map((item) => !isDone(item) && !isLimited(item.socket))
  const wanted = new Set(pushed.flatMap((item, i) => (isNew[i] ? [keyOf(item)] : [])))
  const granted = new Set([...wanted].slice(0, wanted.size === 0 ? 0 : take(wanted.size)))
  const admitted: PushedMutation[] = []
  const refused: PushedMutation[] = []
  const waiting = new Set<WebSocket>()
  for (const [i, item] of pushed.entries()) {
    // What is done already costs nothing, and is ignored further on.
    const mayPass = isNew[i] ? granted.has(keyOf(item)) && !waiting.has(item.socket) : isDone(item)
    if (mayPass) admitted.push(item)
    else {
      refused.push(item)
      // One that another page had sent before, and that is granted to it, may stand behind one that is not.
      waiting.add(item.socket)
    }
  }
  return { admitted, refused }
}

/** One mutation, whichever tab sends it. */
const keyOf = ({ groupID, mutation }: PushedMutation): string => `${groupID} ${mutation.clientID} ${mutation.id}`
