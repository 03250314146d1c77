/** `initConnection`: what the client desires, and which of its siblings are gone. From here on the connection is poked. */

import { decodeCookie } from '../engine/cookie.ts'
import type { QueryError } from '../protocol/down.ts'
import type { InitConnection } from '../protocol/init-connection.ts'
import { applyDesires, clientsHere, inactivateClients, refreshQueries, unsaidDesires } from '../queries/desire.ts'
import { scheduleExpiry } from '../queries/schedule.ts'
import type { Session } from '../sessions.ts'
import type { UserContext } from '../user-context.ts'

export async function initSession(context: UserContext, session: Session, init: InitConnection): Promise<void> {
  const { state, sessions, userId } = context
  const { groupID, clientID } = session
  const nowMs = Date.now()
  const deleted = othersThan(clientID, init.deleted?.clientIDs ?? [])
  const errors: QueryError[] = []
  const inited = sessions.update(session, { isInited: true })
  const since = session.cookie === null ? null : (decodeCookie(session.cookie) ?? 0)
  const isStranger = since !== null && since < state.groups.knownSince(groupID)
  await context.publish(() => {
    state.groups.add(groupID, state.engine.version, nowMs, init.clientSchema)
    state.groups.startClock(groupID, nowMs)
    refreshQueries(state, groupID, userId, nowMs)
    inactivateClients(state, groupID, [...deleted, ...deadClients(context, session, init)], nowMs)
    const asking = { userId, groupID, clientID, nowMs }
    const unsaid = since === null || isStranger ? [] : unsaidDesires(state, asking, since, init.desiredQueriesPatch)
    errors.push(...applyDesires(state, asking, [...init.desiredQueriesPatch, ...unsaid]))
  }, inited.socket)
  if (deleted.length > 0) sessions.send(inited, ['deleteClients', { clientIDs: deleted }])
  if (errors.length > 0) sessions.send(inited, ['transformError', errors])
  // Cleared, but it has said only what is new among its queries: when it comes back it asks for all of them.
  if (isStranger) sessions.close(inited, 1000, 'start over')
  await scheduleExpiry(context)
}

/** A client never deletes itself. */
export const othersThan = (clientID: string, clientIDs: readonly string[]): readonly string[] =>
  clientIDs.filter((other) => other !== clientID)

/** When the client says who is alive, everybody else of the group is not, unless connected right now. */
function deadClients(
  { state, sessions }: UserContext,
  { groupID, clientID }: Session,
  { activeClients }: InitConnection,
): readonly string[] {
  if (!activeClients) return []
  const alive = new Set([clientID, ...activeClients, ...sessions.ofGroup(groupID).map((session) => session.clientID)])
  return clientsHere(state, groupID).filter((other) => !alive.has(other))
}
