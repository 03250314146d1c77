/** A connect in the object: pull, check, accept, first poke. A refusal is sent in place of `connected`. */
import { logger } from '../../lib/logger.ts'
import { commit } from '../object/commit.ts'
import type { UserContext } from '../object/context.ts'
import { composeClear, pokeFrames } from '../poke/poke.ts'
import { type ErrorBody, fatal, serverOverloaded } from '../protocol/down.ts'
import type { InitConnection } from '../protocol/up.ts'
import { maxConnections, maxSockets } from '../protocol/wire-limits.ts'
import { applyProgress } from '../pull/pull.ts'
import type { Connection } from '../state/connections.ts'
import { collectGarbage } from '../state/gc.ts'
import { schemaMismatch } from '../state/groups.ts'
import { scheduleExpiryAlarm } from './auth.ts'
import { type ConnectVerdict, checkConnect } from './check.ts'
import type { ConnectLimits } from './connect-limits.ts'
import { initConnection } from './queries.ts'
import { refuseSocket, type Upgrade, upgraded } from './upgrade.ts'

export async function connect(context: UserContext, upgrade: Upgrade, limits: ConnectLimits): Promise<Response> {
  try {
    return await checkAndAccept(context, upgrade, limits)
  } catch (error) {
    context.recover(error, 'connect', context.connections.ofClient(upgrade.params.clientID))
    return refuseSocket(upgrade.subProtocol, serverOverloaded('connecting failed'))
  }
}

async function checkAndAccept(context: UserContext, upgrade: Upgrade, limits: ConnectLimits): Promise<Response> {
  const { params, init, subProtocol, sessionId } = upgrade
  const { clientGroupID: groupID, clientID, baseCookie } = params
  const { state, connections } = context
  const others = connections.all().filter((other) => other.clientID !== clientID)
  if (others.length >= maxConnections || connections.socketCount >= maxSockets)
    return refuseSocket(subProtocol, serverOverloaded('too many connections'))
  const rates = state.groups.has(groupID) ? (['connects'] as const) : (['connects', 'newGroups'] as const)
  const limited = limits.refusal(sessionId, rates, Date.now())
  if (limited) return refuseSocket(subProtocol, limited)
  let verdict: ConnectVerdict
  try {
    verdict = await validate(context, upgrade)
  } catch (error) {
    logger.error('connect_failed', error, { clientGroupID: groupID })
    context.reset()
    limits.take(rates, Date.now())
    return refuseSocket(subProtocol, serverOverloaded('the database cannot be read right now'))
  }
  const isEnded = verdict.type === 'refuse' && verdict.error.kind === 'Unauthorized'
  if (isEnded) limits.noteEnded(sessionId, Date.now())
  else limits.take(rates, Date.now())
  if (verdict.type === 'refuse') return refuseSocket(subProtocol, verdict.error)

  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  for (const older of connections.ofClient(clientID)) connections.close(older, 1000, 'replaced by a newer connection')
  const { wsid } = params
  const connection = connections.add(server, {
    groupID,
    clientID,
    wsid,
    cookie: baseCookie,
    isInited: false,
    expiresAtMs: upgrade.expiresAtMs,
    sessionId,
    userAgent: upgrade.userAgent,
    isLimited: false,
    pokeInProgress: false,
  })
  connections.send(connection, ['connected', { wsid, timestamp: Date.now() }])
  if (verdict.type === 'start-over') startOver(context, connection, baseCookie ?? '')
  else if (init) await initConnection(context, connection, init)
  else state.groups.startClock(groupID, Date.now())
  await scheduleExpiryAlarm(context, upgrade.expiresAtMs)
  for (const feature of context.features) feature.onConnect?.()
  await context.alarm.arm()
  return upgraded(client, subProtocol)
}

async function validate(context: UserContext, upgrade: Upgrade): Promise<ConnectVerdict> {
  const { params, init, sessionId } = upgrade
  const { state } = context
  const { clientGroupID: groupID, clientID, baseCookie, lmid } = params
  collectGarbage(state, Date.now())
  const isKnown = state.groups.has(groupID)
  // The source keeps groups longer than this object does.
  const pull = await commit(context, { sessionId, progressOf: isKnown ? [] : [groupID] })
  // The pull deleted the group, because the source was restored: validate again.
  if (pull.isRestored && isKnown) return validate(context, upgrade)
  const [progress] = pull.progress
  const recorded = progress?.clients.find((client) => client.clientID === clientID)?.lastMutationID ?? 0
  const verdict = checkConnect({
    isSignedIn: pull.isSignedIn,
    baseCookie,
    lmid,
    lastMutationID: Math.max(recorded, state.clients.lastMutationID(groupID, clientID)),
    version: state.engine.version,
    floor: state.engine.floor,
    isKnown,
    hasSchema: state.groups.clientSchema(groupID) !== null,
    isRecorded: (progress?.clients.length ?? 0) > 0,
    init,
  })
  if (verdict.type === 'refuse') return verdict
  const schemaError = schemaErrorOf(context, groupID, init)
  if (schemaError) return { type: 'refuse', error: schemaError } as const
  if (progress) {
    state.sql.transaction(() => {
      const groupArgs = [groupID, state.engine.version, Date.now()] as const
      if (init || verdict.type === 'start-over') state.groups.add(...groupArgs, init?.clientSchema)
      else state.groups.addWithoutSchema(...groupArgs)
      applyProgress(state, groupID, progress, state.engine.nextVersion())
    })
  }
  return verdict
}

/** A client sends its schema once; a deploy may have changed ours since. */
export function schemaErrorOf({ state }: UserContext, groupID: string, init: InitConnection | undefined): ErrorBody | null {
  const clientSchema = init?.clientSchema ?? state.groups.clientSchema(groupID)
  const mismatch = clientSchema && schemaMismatch(clientSchema, state.config.tables)
  return mismatch ? fatal('SchemaVersionNotSupported', mismatch) : null
}

/** Clears the client and closes the connection. The client reconnects, keeps its unsent mutations, and asks for all its queries again. */
function startOver({ state, connections }: UserContext, connection: Connection, baseCookie: string): void {
  const poke = state.sql.transaction(() => {
    // Only the progress stays: the client asks for its queries again.
    state.engine.dropGroup(connection.groupID)
    state.desiredQueries.removeGroup(connection.groupID)
    state.engine.nextVersion()
    return composeClear(state, connection.groupID, baseCookie)
  })
  connections.sendFrames(connection, pokeFrames(poke).frames)
  connections.close(connection, 1000, 'start over')
}
