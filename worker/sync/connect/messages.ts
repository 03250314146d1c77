/** Every message but `push`. The caller holds the lock. */
import { unreachable } from '../../lib/assert.ts'
import { logger } from '../../lib/logger.ts'
import { encodeCookie } from '../engine/versions.ts'
import { pullAfterWake } from '../object/commit.ts'
import type { UserContext } from '../object/context.ts'
import { fatal, type MutationID } from '../protocol/down.ts'
import type { InitConnection, UpMessage } from '../protocol/up.ts'
import type { Connection } from '../state/connections.ts'
import { updateAuth } from './auth.ts'
import { schemaErrorOf } from './connect.ts'
import { changeDesiredQueries, deleteClients, initConnection } from './queries.ts'

export type OtherMessage = Exclude<UpMessage, readonly ['push', unknown]>

export async function handleMessage(context: UserContext, connection: Connection, message: OtherMessage): Promise<void> {
  const [tag, body] = message
  const { connections } = context
  if (tag !== 'ping') await pullAfterWake(context)
  switch (tag) {
    case 'ping':
      return connections.send(connection, ['pong', {}])
    case 'initConnection':
      return initLate(context, connection, body)
    case 'changeDesiredQueries':
      return changeDesiredQueries(context, connection, body.desiredQueriesPatch)
    case 'deleteClients':
      return deleteClients(context, connection, body.clientIDs ?? [])
    case 'ackMutationResponses':
      return acknowledge(context, connection, body)
    case 'updateAuth':
      return updateAuth(context, connection, body.auth)
    case 'pull':
      return connections.send(connection, ['pull', pullResponse(context, body)])
    case 'inspect':
      return connections.send(connection, ['inspect', { id: body.id, op: 'error', value: 'this server cannot be inspected' }])
    case 'closeConnection':
      return
    default:
      return unreachable(tag)
  }
}

/** The client sends `initConnection` as a message when it does not fit the sub-protocol. */
async function initLate(context: UserContext, connection: Connection, init: InitConnection): Promise<void> {
  const { state, connections } = context
  const { groupID, cookie, isInited } = connection
  if (isInited) return connections.fail(connection, fatal('InvalidMessage', 'initConnection came twice'))
  if (state.groups.clientSchema(groupID) === null && cookie === null && !init.clientSchema) {
    return connections.fail(connection, fatal('InvalidConnectionRequest', 'a new client group must send its schema'))
  }
  const schemaError = schemaErrorOf(context, groupID, init)
  if (schemaError) return connections.fail(connection, schemaError)
  await initConnection(context, connection, init)
}

/** Deleting a result makes the client acknowledge it again. So an acknowledgement that deletes nothing gets no answer. */
async function acknowledge(context: UserContext, { groupID }: Connection, { clientID, id }: MutationID): Promise<void> {
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
