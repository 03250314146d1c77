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
  /** The first mutation of each client that has a gap before it, with the id that should have come. */
  readonly gaps: readonly { readonly pushed: PushedMutation; readonly expected: number }[]
}

export function pendingOf(pushed: readonly PushedMutation[], lastMutationID: (groupID: string, clientID: string) => number): Pending {
  const expected = new Map<string, number>()
  const due: PushedMutation[] = []
  const gaps = new Map<string, Pending['gaps'][number]>()
  for (const item of pushed) {
    const { groupID, mutation } = item
    const client = `${groupID} ${mutation.clientID}`
    const next = expected.get(client) ?? lastMutationID(groupID, mutation.clientID) + 1
    expected.set(client, next)
    if (mutation.id < next || gaps.has(client)) continue
    if (mutation.id > next) {
      gaps.set(client, { pushed: item, expected: next })
      continue
    }
    due.push(item)
    expected.set(client, next + 1)
  }
  return { due, gaps: [...gaps.values()] }
}

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
