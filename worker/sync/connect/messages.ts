/** Every message but `push`. The caller holds the lock. */
import { unreachable } from '../../lib/assert.ts'
import { logger } from '../../lib/logger.ts'
import { encodeCookie } from '../engine/versions.ts'
import type { UserContext } from '../object/context.ts'
import { fatal, type MutationID } from '../protocol/error.ts'
import type { InitConnection, UpMessage } from '../protocol/up.ts'
import type { Session } from '../state/sessions.ts'
import { updateAuth } from './auth.ts'
import { schemaErrorOf } from './connect.ts'
import { changeDesires, deleteClients, initSession } from './queries.ts'

export type OtherMessage = Exclude<UpMessage, readonly ['push', unknown]>

export async function handleMessage(context: UserContext, session: Session, message: OtherMessage): Promise<void> {
  const [tag, body] = message
  const { sessions } = context
  if (tag !== 'ping') await context.refresh()
  switch (tag) {
    case 'ping':
      return sessions.send(session, ['pong', {}])
    case 'initConnection':
      return initLate(context, session, body)
    case 'changeDesiredQueries':
      return changeDesires(context, session, body.desiredQueriesPatch)
    case 'deleteClients':
      return deleteClients(context, session, body.clientIDs ?? [])
    case 'ackMutationResponses':
      return acknowledge(context, session, body)
    case 'updateAuth':
      return updateAuth(context, session, body.auth)
    case 'pull':
      return sessions.send(session, ['pull', pullResponse(context, body)])
    case 'inspect':
      return sessions.send(session, ['inspect', { id: body.id, op: 'error', value: 'this server cannot be inspected' }])
    case 'closeConnection':
      return
    default:
      return unreachable(tag)
  }
}

/** The client sends `initConnection` as a message when it does not fit the sub-protocol. */
async function initLate(context: UserContext, session: Session, init: InitConnection): Promise<void> {
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

/** The client acknowledges again what it sees deleted: an acknowledgement that deletes nothing must stay unanswered, or it never ends. */
async function acknowledge(context: UserContext, { groupID }: Session, { clientID, id }: MutationID): Promise<void> {
  const { state, source } = context
  if (state.results.unacknowledged(groupID, clientID, id) === 0) return
  try {
    await source.forgetResults({ clientGroupID: groupID, clientID }, id)
  } catch (error) {
    // A result that stays in the source is sent again if this object is ever rebuilt, and ignored.
    logger.warn('result_not_deleted', { error: String(error) })
  }
  await context.publish(() => state.results.acknowledge(groupID, clientID, id, state.engine.nextVersion()))
}

/** For clients that recover mutations of an earlier group of the same user. */
function pullResponse(
  { state }: UserContext,
  { clientGroupID, requestID }: { readonly clientGroupID: string; readonly requestID: string },
) {
  return { cookie: encodeCookie(state.engine.version), requestID, lastMutationIDChanges: state.clients.changes(clientGroupID, null) }
}
