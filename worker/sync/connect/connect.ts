/**
 * A connection that the Worker has let through, in the object: pull, check, accept, greet. Refusals take the place of `connected`.
 */
import { groupProgressStatements, readGroupProgress } from '../../db/progress.ts'
import { readIsSignedIn, sessionStatement } from '../../db/sessions.ts'
import { logger } from '../../lib/logger.ts'
import { keepHint } from '../keep-hint.ts'
import { composeClear } from '../poke/compose.ts'
import { pokeFrames } from '../poke/frames.ts'
import type { ConnectParams } from '../protocol/connect-params.ts'
import { comeBack, type ErrorBody, fatal } from '../protocol/error.ts'
import type { InitConnection } from '../protocol/init-connection.ts'
import { maxConnections, maxSockets } from '../protocol/limits.ts'
import { takeProgress } from '../push/apply-push.ts'
import type { Session } from '../sessions.ts'
import { tidy } from '../tidy.ts'
import { watchExpiry } from '../tokens.ts'
import type { UserContext } from '../user-context.ts'
import { checkConnect, type ConnectVerdict as Verdict } from './check.ts'
import { schemaMismatch } from './client-schema.ts'
import { initSession } from './init.ts'
import { refuseSocket, upgraded } from './refuse-socket.ts'

export type Connecting = {
  readonly params: ConnectParams
  readonly init: InitConnection | undefined
  readonly sessionId: string
  readonly expiresAtMs: number
  readonly subProtocol: string | null
  /** The name of ours by which the browser came. */
  readonly host: string
}

export async function connect(context: UserContext, connecting: Connecting): Promise<Response> {
  const { params, init, subProtocol } = connecting
  const { clientGroupID: groupID, clientID, baseCookie } = params
  const { state, sessions } = context
  const others = sessions.all().filter((other) => other.clientID !== clientID)
  if (others.length >= maxConnections || sessions.socketCount >= maxSockets)
    return refuseSocket(subProtocol, comeBack('too many connections'))
  let verdict: Verdict
  try {
    verdict = await judge(context, connecting)
  } catch (error) {
    logger.error('connect failed', error, { clientGroupID: groupID })
    context.reset()
    return refuseSocket(subProtocol, comeBack('the record cannot be read right now'))
  }
  if (verdict.type === 'refuse') return refuseSocket(subProtocol, verdict.error)

  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  for (const older of sessions.ofClient(clientID)) sessions.close(older, 1000, 'replaced by a newer connection')
  const { wsid } = params
  const session = sessions.add(server, {
    groupID,
    clientID,
    wsid,
    cookie: baseCookie,
    isInited: false,
    expiresAtMs: connecting.expiresAtMs,
    sessionId: connecting.sessionId,
    host: connecting.host,
    isLimited: false,
    isHalfTold: false,
  })
  sessions.send(session, ['connected', { wsid, timestamp: Date.now() }])
  if (verdict.type === 'start-over') startOver(context, session, baseCookie ?? '')
  else if (init) await initSession(context, session, init)
  else state.groups.startClock(groupID, Date.now())
  await watchExpiry(context, connecting.expiresAtMs)
  await keepHint(context, 'connection')
  return upgraded(client, subProtocol)
}

async function judge(context: UserContext, connecting: Connecting): Promise<Verdict> {
  const { params, init, sessionId } = connecting
  const { state, record, userId } = context
  const { clientGroupID: groupID, clientID, baseCookie, lmid } = params
  tidy(state, Date.now())
  const isKnown = state.groups.has(groupID)
  // The record remembers groups longer than this object does.
  const statements = isKnown ? [] : groupProgressStatements(record.content, userId, groupID)
  const questions = [sessionStatement(record.directory, sessionId, userId)]
  const pull = await context.commit({ statements, questions })
  // What this object knew of the group a moment ago, it knew from a record that is no more.
  if (pull.isRestored && isKnown) return judge(context, connecting)
  const { results, answers } = pull
  const progress = isKnown ? null : readGroupProgress(results[0], results[1])
  const recorded = progress?.clients.find((client) => client.clientID === clientID)?.lastMutationID ?? 0
  const verdict = checkConnect({
    isSignedIn: readIsSignedIn(answers[0]),
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
      const known = [groupID, state.engine.version, Date.now()] as const
      if (init || verdict.type === 'start-over') state.groups.add(...known, init?.clientSchema)
      else state.groups.note(...known)
      takeProgress(context, groupID, progress, state.engine.nextVersion())
    })
  }
  return verdict
}

/** A client sends its schema once; a deploy may have changed ours since. */
export function schemaErrorOf({ state }: UserContext, groupID: string, init: InitConnection | undefined): ErrorBody | null {
  const clientSchema = init?.clientSchema ?? state.groups.clientSchema(groupID)
  const mismatch = clientSchema && schemaMismatch(clientSchema)
  return mismatch ? fatal('SchemaVersionNotSupported', mismatch) : null
}

/** Clears the client and ends the connection; it comes back at once, keeps its unsent writes, and asks for all its queries again. */
function startOver({ state, sessions }: UserContext, session: Session, baseCookie: string): void {
  const poke = state.sql.transaction(() => {
    // What is left of the group beyond its progress would answer queries that the client is about to forget.
    state.engine.dropGroup(session.groupID)
    state.desires.removeGroup(session.groupID)
    state.engine.nextVersion()
    return composeClear(state, session.groupID, baseCookie)
  })
  sessions.sendFrames(session, pokeFrames(poke).frames)
  sessions.close(session, 1000, 'start over')
}
