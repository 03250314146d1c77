/** A connect in the object: pull, check, accept, first poke. A refusal is sent in place of `connected`. */
import { logger } from '../../lib/logger.ts'
import type { Version } from '../engine/types.ts'
import { decodeCookie } from '../engine/versions.ts'
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

export type ConnectState = {
  /** True if the session of the token still exists. */
  readonly isSignedIn: boolean
  readonly baseCookie: string | null
  /** The last mutation that the client saw confirmed. */
  readonly lmid: number
  /** The last mutation that was applied. */
  readonly lastMutationID: number
  readonly version: Version
  readonly floor: Version
  /** True if the object has stored the group. */
  readonly isKnown: boolean
  /** True if the source has progress of the group. */
  readonly isRecorded: boolean
  /** True if the group's client schema is stored. */
  readonly hasSchema: boolean
  /** Absent if it is sent as a separate message. */
  readonly init: InitConnection | undefined
}

export type ConnectVerdict =
  | { readonly type: 'accept' }
  /** The object lost an existing group: the client deletes its rows and sends its queries again. */
  | { readonly type: 'start-over' }
  | { readonly type: 'refuse'; readonly error: ErrorBody }

const refuse = (...error: Parameters<typeof fatal>): ConnectVerdict => ({ type: 'refuse', error: fatal(...error) })

/** The checks of a connect, in the order of SPEC C2. Pure. */
export function checkConnect(state: ConnectState): ConnectVerdict {
  const { baseCookie, isKnown } = state
  if (!state.isSignedIn) return refuse('Unauthorized', 'the session has ended')
  const isReal = isKnown || state.isRecorded || isFromWipedReplica(state)
  if (!isReal && baseCookie !== null) return refuse('ClientNotFound', 'the server does not know this client group')
  if (!state.hasSchema && baseCookie === null && state.init && !state.init.clientSchema) {
    return refuse('InvalidConnectionRequest', 'a new client group must send its schema')
  }
  if (baseCookie !== null) {
    const version = decodeCookie(baseCookie)
    if (version === null || version > state.version)
      return refuse('InvalidConnectionRequestBaseCookie', 'the cookie is ahead of the server')
  }
  if (state.lmid > state.lastMutationID)
    return refuse('InvalidConnectionRequestLastMutationID', 'the client has seen mutations that the server has not')
  return { type: !isKnown && baseCookie !== null ? 'start-over' : 'accept' }
}

/**
 * A group that never wrote has no progress in the source. Its cookie below the floor is the only evidence that it existed.
 */
function isFromWipedReplica({ baseCookie, lmid, floor }: ConnectState): boolean {
  const version = baseCookie === null ? null : decodeCookie(baseCookie)
  return version !== null && version > 0 && version < floor && lmid === 0
}
