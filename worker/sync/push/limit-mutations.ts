/** The mutation limits: which pushed mutations may be applied now, and when limited clients may push again (SPEC R1 to R3, R13). */

import type { UserContext } from '../object/context.ts'
import { mutationRateLimited } from '../protocol/down.ts'
import { clientOf, type PushedMutation } from './pending.ts'

export function applyPushRateLimit(context: UserContext, pushed: readonly PushedMutation[], nowMs: number): RateLimitVerdict {
  const { state, connections, quota } = context
  const isClosed = budgetRetryAt(context, nowMs) !== null
  return applyRateLimit(pushed, {
    isLimited: (socket) => connections.of(socket)?.isLimited ?? false,
    lastMutationID: (groupID, clientID) => state.clients.lastMutationID(groupID, clientID),
    take: (wanted) => (isClosed ? 0 : quota.take(wanted, nowMs)),
  })
}

/** The connections stay open. Their clients keep the mutations and send them again when they reconnect. */
export async function limitPush(context: UserContext, refused: readonly PushedMutation[], nowMs: number): Promise<void> {
  const { state, connections, quota, alarm } = context
  if (refused.length === 0) return
  for (const socket of new Set(refused.map((item) => item.socket))) {
    const connection = connections.of(socket)
    if (connection) connections.send(connections.update(connection, { isLimited: true }), ['error', mutationRateLimited])
  }
  const scheduledAt = state.meta.alarmAt('quota')
  const at = budgetRetryAt(context, nowMs) ?? quota.retryAt(refused.length, scheduledAt, nowMs)
  if (at === scheduledAt) return
  state.sql.transaction(() => {
    quota.store()
    state.meta.setAlarmAt('quota', at)
  })
  await alarm.arm()
}

const budgetRetryAt = ({ app, state, userId }: UserContext, nowMs: number): number | null =>
  app.budget?.(state.engine, userId, nowMs).retryAt ?? null

/** A client sends a limited mutation again only on a new connection, so its connection is closed. */
export function closeLimitedConnections({ state, connections }: UserContext): void {
  state.meta.setAlarmAt('quota', null)
  for (const connection of connections.all()) if (connection.isLimited) connections.close(connection, 1000, 'writes are accepted again')
}

export type RateLimitVerdict = { readonly accepted: readonly PushedMutation[]; readonly refused: readonly PushedMutation[] }

type RateLimitDeps = {
  /** True if this connection has received `MutationRateLimited`. */
  readonly isLimited: (socket: WebSocket) => boolean
  readonly lastMutationID: (groupID: string, clientID: string) => number
  readonly take: (wanted: number) => number
}

/** Pure except for `take`. Mutations after a limited one of the same connection wait too, which preserves their order. */
export function applyRateLimit(pushed: readonly PushedMutation[], { isLimited, lastMutationID, take }: RateLimitDeps): RateLimitVerdict {
  const lastIDs = new Map<string, number>()
  const isDone = (item: PushedMutation) => {
    const lastID = lastIDs.get(clientOf(item)) ?? lastMutationID(item.groupID, item.mutation.clientID)
    lastIDs.set(clientOf(item), lastID)
    return item.mutation.id <= lastID
  }
  const isNew = pushed.map((item) => !isDone(item) && !isLimited(item.socket))
  const wanted = new Set(pushed.flatMap((item, i) => (isNew[i] ? [keyOf(item)] : [])))
  const granted = new Set([...wanted].slice(0, wanted.size === 0 ? 0 : take(wanted.size)))
  const accepted: PushedMutation[] = []
  const refused: PushedMutation[] = []
  const waiting = new Set<WebSocket>()
  for (const [i, item] of pushed.entries()) {
    // An applied mutation takes no token and is ignored later.
    const mayPass = isNew[i] ? granted.has(keyOf(item)) && !waiting.has(item.socket) : isDone(item)
    if (mayPass) accepted.push(item)
    else {
      refused.push(item)
      // A mutation that another page also sent must not overtake a refused mutation of this connection.
      waiting.add(item.socket)
    }
  }
  return { accepted, refused }
}

/** Equal for all tabs that send this mutation. */
const keyOf = (item: PushedMutation): string => `${clientOf(item)} ${item.mutation.id}`
