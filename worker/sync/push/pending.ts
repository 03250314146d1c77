/** Which of the mutations that arrived are due. Ids count without gaps per client, so a smaller one is done and a larger one is lost. */
import { type ErrorBody, fatal } from '../protocol/error.ts'
import type { CustomMutation, Push } from '../protocol/push.ts'
import type { Session } from '../sessions.ts'

export type PushedMutation = {
  readonly groupID: string
  readonly mutation: CustomMutation
  /** Where it came from; several sockets may push the same mutation. */
  readonly socket: WebSocket
}

export type Pending = {
  /** In the order they arrived. */
  readonly due: readonly PushedMutation[]
  /** The smallest mutation of each client that has a gap before it, with the id that should have come. */
  readonly gaps: readonly { readonly pushed: PushedMutation; readonly expected: number }[]
}

/**
 * Behind a gap nothing of its connection is due. Of another it is: pages of one browser push the same, and one whose first frame met a failure
 * has its second here still, in front of the other's first.
 */
export function pendingOf(pushed: readonly PushedMutation[], lastMutationID: (groupID: string, clientID: string) => number): Pending {
  const expected = new Map<string, number>()
  const expectedOf = (item: PushedMutation) => expected.get(clientOf(item)) ?? lastMutationID(item.groupID, item.mutation.clientID) + 1
  const due: PushedMutation[] = []
  const stopped: PushedMutation[] = []
  for (const item of pushed) {
    const next = expectedOf(item)
    expected.set(clientOf(item), next)
    if (item.mutation.id > next) stopped.push(item)
    if (item.mutation.id !== next || stopped.some((other) => isSameLine(other, item))) continue
    due.push(item)
    expected.set(clientOf(item), next + 1)
  }
  const left = pushed.filter((item) => item.mutation.id >= expectedOf(item))
  const firsts = left.filter((item) => left.find((other) => isSameLine(other, item)) === item)
  // Whoever is behind the smallest is told.
  const gaps = new Map<string, Pending['gaps'][number]>()
  for (const item of firsts.toSorted((a, b) => a.mutation.id - b.mutation.id))
    if (!gaps.has(clientOf(item))) gaps.set(clientOf(item), { pushed: item, expected: expectedOf(item) })
  return { due, gaps: [...gaps.values()] }
}

const clientOf = ({ groupID, mutation }: PushedMutation): string => `${groupID} ${mutation.clientID}`
const isSameLine = (a: PushedMutation, b: PushedMutation): boolean => a.socket === b.socket && clientOf(a) === clientOf(b)

/** Everybody who sent this mutation or a later one of its client: none of these can be applied any more. */
export function sendersFrom(pushed: readonly PushedMutation[], { groupID, mutation }: PushedMutation): ReadonlySet<WebSocket> {
  const isBehind = (item: PushedMutation) =>
    item.groupID === groupID && item.mutation.clientID === mutation.clientID && item.mutation.id >= mutation.id
  return new Set(pushed.filter(isBehind).map(({ socket }) => socket))
}

/** The mutations of a frame, or why it is none of this connection's. */
export function pushedMutations(
  { clientGroupID: groupID, mutations }: Push,
  { groupID: own, socket }: Session,
): readonly PushedMutation[] | ErrorBody {
  if (groupID !== own) return fatal('InvalidPush', 'the push is for another client group')
  const pushed = mutations.flatMap((mutation): PushedMutation[] => (mutation.type === 'custom' ? [{ groupID, mutation, socket }] : []))
  return pushed.length < mutations.length ? fatal('InvalidPush', 'only named mutators are accepted') : pushed
}
