/** Desired queries of connected clients: `initConnection`, changes, deleted clients, and the expiry of queries by alarm. */
import { decodeCookie } from '../engine/versions.ts'
import type { UserContext } from '../object/context.ts'
import type { QueryError } from '../protocol/down.ts'
import type { DesiredQueriesPatch, InitConnection } from '../protocol/up.ts'
import type { Connection } from '../state/connections.ts'
import { collectGarbage } from '../state/gc.ts'
import {
  clientsWithState,
  endedWhileOffline,
  expireQueries,
  inactivateClients,
  nextExpiryMs,
  patchDesiredQueries,
  refreshQueries,
} from '../state/live-queries.ts'

/** After this the connection receives pokes. */
export async function initConnection(context: UserContext, connection: Connection, init: InitConnection): Promise<void> {
  const { state, connections, userId } = context
  const { groupID, clientID } = connection
  const nowMs = Date.now()
  const deleted = othersThan(clientID, init.deleted?.clientIDs ?? [])
  const errors: QueryError[] = []
  const inited = connections.update(connection, { isInited: true })
  const since = connection.cookie === null ? null : (decodeCookie(connection.cookie) ?? 0)
  const isUnknownClient = since !== null && since < state.groups.knownSince(groupID)
  await context.publishQueries(() => {
    state.groups.add(groupID, state.engine.version, nowMs, init.clientSchema)
    state.groups.startClock(groupID, nowMs)
    refreshQueries(state, groupID, userId, nowMs)
    inactivateClients(state, groupID, [...deleted, ...deadClients(context, connection, init)], nowMs)
    const client = { userId, groupID, clientID, nowMs }
    const restored = since === null || isUnknownClient ? [] : endedWhileOffline(state, client, since, init.desiredQueriesPatch)
    errors.push(...patchDesiredQueries(state, client, [...init.desiredQueriesPatch, ...restored]))
  }, inited.socket)
  if (deleted.length > 0) connections.send(inited, ['deleteClients', { clientIDs: deleted }])
  if (errors.length > 0) connections.send(inited, ['transformError', errors])
  // The client was cleared but sent only new queries. Close it; on reconnect it sends all.
  if (isUnknownClient) connections.close(inited, 1000, 'start over')
  await scheduleExpiry(context)
}

/** A client never deletes itself. */
const othersThan = (clientID: string, clientIDs: readonly string[]): readonly string[] => clientIDs.filter((other) => other !== clientID)

/** Clients of the group that are neither in the client's list of active clients nor connected. */
function deadClients(
  { state, connections }: UserContext,
  { groupID, clientID }: Connection,
  { activeClients }: InitConnection,
): readonly string[] {
  if (!activeClients) return []
  const connectedOrActive = new Set([clientID, ...activeClients, ...connections.ofGroup(groupID).map((connection) => connection.clientID)])
  return clientsWithState(state, groupID).filter((other) => !connectedOrActive.has(other))
}

export async function changeDesiredQueries(context: UserContext, connection: Connection, patch: DesiredQueriesPatch): Promise<void> {
  const { state, connections, userId } = context
  const { groupID, clientID } = connection
  const errors: QueryError[] = []
  await context.publishQueries(() => {
    errors.push(...patchDesiredQueries(state, { userId, groupID, clientID, nowMs: Date.now() }, patch))
  })
  if (errors.length > 0) connections.send(connection, ['transformError', errors])
  await scheduleExpiry(context)
}

export async function deleteClients(context: UserContext, connection: Connection, clientIDs: readonly string[]): Promise<void> {
  const deleted = othersThan(connection.clientID, clientIDs)
  await context.publishQueries(() => inactivateClients(context.state, connection.groupID, deleted, Date.now()))
  context.connections.send(connection, ['deleteClients', { clientIDs: deleted }])
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
export async function leaveGroup(context: UserContext, { groupID, socket }: Connection): Promise<void> {
  await context.publishQueries(() => undefined)
  if (context.connections.ofGroup(groupID).some((other) => other.socket !== socket)) return
  context.state.groups.stopClock(groupID, Date.now())
  await scheduleExpiry(context)
}

const connectedGroups = ({ connections }: UserContext): readonly string[] => [...new Set(connections.all().map(({ groupID }) => groupID))]
