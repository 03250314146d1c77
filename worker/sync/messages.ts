/**
 * Every message but `push`, one case each. The caller holds the lock and has made sure that the rows are fresh.
 */

import { verifySyncToken } from '../auth/token.ts'
import { forgetResultsStatement } from '../db/progress.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { unreachable } from '../lib/assert.ts'
import { logger } from '../lib/logger.ts'
import { schemaErrorOf } from './connect/connect.ts'
import { initSession, othersThan } from './connect/init.ts'
import { encodeCookie } from './engine/cookie.ts'
import type { QueryError } from './protocol/down.ts'
import { fatal, type MutationID } from './protocol/error.ts'
import type { InitConnection } from './protocol/init-connection.ts'
import type { DesiredQueriesPatch } from './protocol/queries-patch.ts'
import type { UpMessage } from './protocol/up.ts'
import { applyDesires, inactivateClients } from './queries/desire.ts'
import { scheduleExpiry } from './queries/schedule.ts'
import type { Session } from './sessions.ts'
import { isSignedIn, watchExpiry } from './tokens.ts'
import type { UserContext } from './user-context.ts'

export type PlainMessage = Exclude<UpMessage, readonly ['push', unknown]>

export async function handleMessage(context: UserContext, env: DatabaseBindings, session: Session, message: PlainMessage): Promise<void> {
  const [tag, body] = message
  if (tag !== 'ping') await context.refresh()
  switch (tag) {
    case 'ping':
      return context.sessions.send(session, ['pong', {}])
    case 'initConnection':
      return lateInit(context, session, body)
    case 'changeDesiredQueries':
      return changeDesires(context, session, body.desiredQueriesPatch)
    case 'deleteClients':
      return deleteClients(context, session, body.clientIDs ?? [])
    case 'ackMutationResponses':
      return acknowledge(context, session, body)
    case 'updateAuth':
      return updateAuth(context, env, session, body.auth)
    case 'pull':
      return context.sessions.send(session, ['pull', pullResponse(context, body)])
    case 'inspect':
      return context.sessions.send(session, ['inspect', { id: body.id, op: 'error', value: 'this server cannot be inspected' }])
    case 'closeConnection':
      return
    default:
      return unreachable(tag)
  }
}

/** The client sends it after `connected` when it did not fit the sub-protocol. */
async function lateInit(context: UserContext, session: Session, init: InitConnection): Promise<void> {
  const { state, sessions } = context
  const { groupID, cookie, isInited } = session
  if (isInited) return sessions.fail(session, fatal('InvalidMessage', 'initConnection came twice'))
  if (state.groups.clientSchema(groupID) === null && cookie === null && !init.clientSchema) {
    return sessions.fail(session, fatal('InvalidConnectionRequest', 'a new client group must send its schema'))
  }
  const schemaError = schemaErrorOf(context, groupID, init)
  if (schemaError) return sessions.fail(session, schemaError)
  await initSession(context, session, init)
}

async function changeDesires(context: UserContext, session: Session, patch: DesiredQueriesPatch): Promise<void> {
  const { groupID, clientID } = session
  const errors: QueryError[] = []
  await context.publish(() => {
    errors.push(...applyDesires(context.state, { userId: context.userId, groupID, clientID, nowMs: Date.now() }, patch))
  })
  if (errors.length > 0) context.sessions.send(session, ['transformError', errors])
  await scheduleExpiry(context)
}

async function deleteClients(context: UserContext, session: Session, clientIDs: readonly string[]): Promise<void> {
  const deleted = othersThan(session.clientID, clientIDs)
  await context.publish(() => inactivateClients(context.state, session.groupID, deleted, Date.now()))
  context.sessions.send(session, ['deleteClients', { clientIDs: deleted }])
  await scheduleExpiry(context)
}

/** The client acknowledges again what it sees deleted: an acknowledgement that deletes nothing must stay unanswered, or it never ends. */
async function acknowledge(context: UserContext, { groupID }: Session, { clientID, id }: MutationID): Promise<void> {
  const { state, record, userId } = context
  if (state.results.unacknowledged(groupID, clientID, id) === 0) return
  try {
    await record.batch(record.content, [forgetResultsStatement(record.content, { clientGroupID: groupID, clientID, userId }, id)])
  } catch (error) {
    // A result that outlives its acknowledgement in the record is told once more if this object is ever rebuilt, and ignored.
    logger.warn('result not forgotten', { error: String(error) })
  }
  await context.publish(() => state.results.acknowledge(groupID, clientID, id, state.engine.nextVersion()))
}

async function updateAuth(context: UserContext, env: DatabaseBindings, session: Session, auth: string): Promise<void> {
  const token = await verifySyncToken(env, auth)
  if ('refused' in token) return context.sessions.fail(session, fatal('Unauthorized', `the token is ${token.refused}`))
  if (token.userId !== context.userId) return context.sessions.fail(session, fatal('Unauthorized', 'the token is for another user'))
  const { expiresAtMs, sessionId } = token
  if (!(await isSignedIn(context, sessionId))) return context.sessions.fail(session, fatal('Unauthorized', 'the session has ended'))
  context.sessions.update(session, { expiresAtMs, sessionId })
  // What was said to others while its token had run out: nothing else may ever wake it.
  await context.publish(() => undefined)
  await watchExpiry(context, expiresAtMs)
}

/** For clients that recover mutations of an earlier group. All groups of this object are one person's. */
function pullResponse(
  { state }: UserContext,
  { clientGroupID, requestID }: { readonly clientGroupID: string; readonly requestID: string },
) {
  return { cookie: encodeCookie(state.engine.version), requestID, lastMutationIDChanges: state.clients.changes(clientGroupID, null) }
}
