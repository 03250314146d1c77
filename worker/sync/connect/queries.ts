/** Desired queries of connected clients: `initConnection`, changes, deleted clients, and the expiry of queries by alarm. */
import { decodeCookie } from '../engine/versions.ts'
import type { UserContext } from '../object/context.ts'
import type { QueryError } from '../protocol/down.ts'
import type { DesiredQueriesPatch, InitConnection } from '../protocol/up.ts'
import {
  applyDesires,
  clientsHere,
  expireQueries,
  inactivateClients,
  nextExpiryMs,
  refreshQueries,
  unsentDesires,
} from '../state/desired-queries.ts'
import { collectGarbage } from '../state/gc.ts'
import type { Session } from '../state/sessions.ts'

/** After this the connection receives pokes. */
export async function initSession(context: UserContext, session: Session, init: InitConnection): Promise<void> {
  const { state, sessions, userId } = context
  const { groupID, clientID } = session
  const nowMs = Date.now()
  const deleted = othersThan(clientID, init.deleted?.clientIDs ?? [])
  const errors: QueryError[] = []
  const inited = sessions.update(session, { isInited: true })
  const since = session.cookie === null ? null : (decodeCookie(session.cookie) ?? 0)
  const isUnknownClient = since !== null && since < state.groups.knownSince(groupID)
  await context.publishQueries(() => {
    state.groups.add(groupID, state.engine.version, nowMs, init.clientSchema)
    state.groups.startClock(groupID, nowMs)
    refreshQueries(state, groupID, userId, nowMs)
    inactivateClients(state, groupID, [...deleted, ...deadClients(context, session, init)], nowMs)
    const client = { userId, groupID, clientID, nowMs }
    const unsent = since === null || isUnknownClient ? [] : unsentDesires(state, client, since, init.desiredQueriesPatch)
    errors.push(...applyDesires(state, client, [...init.desiredQueriesPatch, ...unsent]))
  }, inited.socket)
  if (deleted.length > 0) sessions.send(inited, ['deleteClients', { clientIDs: deleted }])
  if (errors.length > 0) sessions.send(inited, ['transformError', errors])
  // Cleared, but it has sent only its new queries. When it reconnects it asks for all of them.
  if (isUnknownClient) sessions.close(inited, 1000, 'start over')
  await scheduleExpiry(context)
}

/** A client never deletes itself. */
const othersThan = (clientID: string, clientIDs: readonly string[]): readonly string[] => clientIDs.filter((other) => other !== clientID)

/** Clients of the group that are neither in the client's list of active clients nor connected. */
function deadClients(
  { state, sessions }: UserContext,
  { groupID, clientID }: Session,
  { activeClients }: InitConnection,
): readonly string[] {
  if (!activeClients) return []
  const alive = new Set([clientID, ...activeClients, ...sessions.ofGroup(groupID).map((session) => session.clientID)])
  return clientsHere(state, groupID).filter((other) => !alive.has(other))
}

export async function changeDesires(context: UserContext, session: Session, patch: DesiredQueriesPatch): Promise<void> {
  const { state, sessions, userId } = context
  const { groupID, clientID } = session
  const errors: QueryError[] = []
  await context.publishQueries(() => {
    errors.push(...applyDesires(state, { userId, groupID, clientID, nowMs: Date.now() }, patch))
  })
  if (errors.length > 0) sessions.send(session, ['transformError', errors])
  await scheduleExpiry(context)
}

export async function deleteClients(context: UserContext, session: Session, clientIDs: readonly string[]): Promise<void> {
  const deleted = othersThan(session.clientID, clientIDs)
  await context.publishQueries(() => inactivateClients(context.state, session.groupID, deleted, Date.now()))
  context.sessions.send(session, ['deleteClients', { clientIDs: deleted }])
  await scheduleExpiry(context)
}

/** Sets the alarm for the next query to expire. Groups without a connection have none: their clocks stand still. */
async function scheduleExpiry(context: UserContext): Promise<void> {
  const { state, alarm } = context
  const nowMs = Date.now()
  // Queries have just ended, and ended queries must not pile up between two connects.
  collectGarbage(state, nowMs)
  const times = connectedGroups(context).flatMap((groupID) => nextExpiryMs(state, groupID, nowMs) ?? [])
  state.meta.setAlarmAt('queries', times.length === 0 ? null : Math.min(...times))
  await alarm.arm()
}

export async function expireDue(context: UserContext): Promise<void> {
  const { state } = context
  const nowMs = Date.now()
  // Cleared before the work: if the work fails, the alarm must not fire for it again and again. The next connect sets the time.
  state.meta.setAlarmAt('queries', null)
  await context.publish(() => {
    for (const groupID of connectedGroups(context)) expireQueries(state, groupID, nowMs)
  })
  await scheduleExpiry(context)
}

/** Updates presence. After a group's last connection, stops its clock. */
export async function leaveGroup(context: UserContext, { groupID, socket }: Session): Promise<void> {
  await context.publishQueries(() => undefined)
  if (context.sessions.ofGroup(groupID).some((other) => other.socket !== socket)) return
  context.state.groups.stopClock(groupID, Date.now())
  await scheduleExpiry(context)
}

const connectedGroups = ({ sessions }: UserContext): readonly string[] => [...new Set(sessions.all().map(({ groupID }) => groupID))]
