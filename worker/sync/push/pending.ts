/** Which pushed mutations are due, and which cannot be applied. Ids count without gaps per client: a smaller id is done, a larger one has a gap. */
import { type ErrorBody, fatal, outOfOrder, serverOverloaded } from '../protocol/down.ts'
import type { CustomMutation, Push } from '../protocol/up.ts'
import type { Connection } from '../state/connections.ts'

export type PushedMutation = {
  readonly groupID: string
  readonly mutation: CustomMutation
  /** Where it came from; several sockets may push the same mutation. */
  readonly socket: WebSocket
}

export type Pending = {
  /** In the order they arrived. */
  readonly due: readonly PushedMutation[]
  /** For each client the smallest mutation after a gap, with the first missing id. */
  readonly gaps: readonly { readonly pushed: PushedMutation; readonly expected: number }[]
}

/**
 * Nothing after a gap of the same connection is due. Other connections continue: pages of one browser push the same mutations, so the missing
 * ids may arrive from another page.
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
    if (item.mutation.id !== next || stopped.some((other) => isSameSender(other, item))) continue
    due.push(item)
    expected.set(clientOf(item), next + 1)
  }
  const remaining = pushed.filter((item) => item.mutation.id >= expectedOf(item))
  const firsts = remaining.filter((item) => remaining.find((other) => isSameSender(other, item)) === item)
  const gaps = new Map<string, Pending['gaps'][number]>()
  for (const item of firsts.toSorted((a, b) => a.mutation.id - b.mutation.id))
    if (!gaps.has(clientOf(item))) gaps.set(clientOf(item), { pushed: item, expected: expectedOf(item) })
  return { due, gaps: [...gaps.values()] }
}

export const clientOf = ({ groupID, mutation }: PushedMutation): string => `${groupID} ${mutation.clientID}`
const isSameSender = (a: PushedMutation, b: PushedMutation): boolean => a.socket === b.socket && clientOf(a) === clientOf(b)

/** Sockets that sent this mutation or a later one of its client, which cannot be applied. */
export function sendersFrom(pushed: readonly PushedMutation[], { groupID, mutation }: PushedMutation): ReadonlySet<WebSocket> {
  const isBehind = (item: PushedMutation) =>
    item.groupID === groupID && item.mutation.clientID === mutation.clientID && item.mutation.id >= mutation.id
  return new Set(pushed.filter(isBehind).map(({ socket }) => socket))
}

/** The mutations of a push frame, or the error for it. */
export function pushedMutations(
  { clientGroupID: groupID, mutations }: Push,
  { groupID: own, socket }: Connection,
): readonly PushedMutation[] | ErrorBody {
  if (groupID !== own) return fatal('InvalidPush', 'the push is for another client group')
  const pushed = mutations.flatMap((mutation): PushedMutation[] => (mutation.type === 'custom' ? [{ groupID, mutation, socket }] : []))
  return pushed.length < mutations.length ? fatal('InvalidPush', 'only named mutators are accepted') : pushed
}

export type PushProblem =
  /** Mutations before it are missing. */
  | { readonly type: 'gap'; readonly pushed: PushedMutation; readonly expected: number }
  | { readonly type: 'unauthorized'; readonly pushed: PushedMutation; readonly message: string }
  | { readonly type: 'give-up' | 'too-many-clients'; readonly pushed: PushedMutation }

/** The error for a client that sent the mutation, for itself or for a closed page of its group. */
export function problemError(problem: PushProblem, senderClientID: string): ErrorBody {
  switch (problem.type) {
    case 'gap': {
      const { clientID, id } = problem.pushed.mutation
      // Every page of the group would push the mutation of a closed page again, for ever. The browser must delete it.
      if (clientID !== senderClientID)
        return fatal('ClientNotFound', 'a stored mutation of this browser no longer fits the recorded progress')
      return outOfOrder({ clientID, id }, problem.expected)
    }
    case 'unauthorized':
      return fatal('Unauthorized', problem.message)
    case 'too-many-clients':
      return serverOverloaded('this browser has too many pages that write')
    case 'give-up':
      return serverOverloaded('the database cannot be written right now')
  }
}
