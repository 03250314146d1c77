/** The actions on tool servers in the settings of a user or an organization. Each function has checked values; rows of other owners are missing. */
import type { RefusalCode } from '../../../contract/errors.ts'
import { maxToolServerNameChars, serverListTimeoutMs, toolServerTimeoutMs } from '../../../contract/limits.ts'
import { cleanName } from '../../../contract/names.ts'
import { cutAt } from '../../../contract/text.ts'
import type { ServerTool, ToolServerFailure } from '../../../contract/tools/tool-servers.ts'
import { classifyD1Error } from '../../../db/errors.ts'
import type { DatabaseBindings } from '../../../db/shards.ts'
import {
  deleteToolServer,
  insertToolServer,
  readToolServer,
  type ServerOwner,
  type ToolServerChanges,
  type ToolServerRow,
  updateToolServer,
  withoutUser,
} from '../../../db/tool-servers.ts'
import type { ServerConnection, ServerOffer } from './connection.ts'
import { guardedFetch, isPublicAddress, type ServerEgress } from './egress.ts'
import { revokeWaiting } from './revoke-waiting.ts'
import { ServerFailure } from './server-failure.ts'
import {
  beginLogin,
  completedLogin,
  completeLogin,
  isAnswerTo,
  revokeLogins,
  revokeTokens,
  type StoredServer,
  settledFailure,
  withStoredServer,
} from './server-login.ts'
import { changeSecret, readSecret, type ServerRef, sealSecret } from './server-secrets.ts'
import { acceptTool, storeListing } from './stored-tools.ts'

export type Manager = {
  readonly env: DatabaseBindings
  readonly authSecret: string
  readonly owner: ServerOwner
  readonly egress: ServerEgress
  readonly nowMs: number
}

export const refOf = ({ env, authSecret, owner }: Manager, id: string): ServerRef => ({ env, authSecret, owner, id })

/** A fetch for one action of the user. */
const egressOf = ({ egress }: { readonly egress: ServerEgress }) => guardedFetch(egress, AbortSignal.timeout(2 * toolServerTimeoutMs))

/** Chosen: connecting twice (by HTTP and by SSE), and reading the tools and three further lists. */
export const checkMs = 3 * toolServerTimeoutMs + 3 * serverListTimeoutMs

/** The row and the credentials. Null for the id of a server that the owner does not have. */
export async function readServer(manager: Manager, id: string): Promise<(ToolServerRow & StoredServer) | null> {
  const [row, secret] = await Promise.all([readToolServer(manager.env, manager.owner, id), readSecret(refOf(manager, id))])
  return row && secret && { ...row, secret }
}

type State = Pick<ToolServerRow, 'state' | 'failure'>
type Checked = State & Partial<ServerOffer> & { readonly title?: string }

/** Connects and reads what the server offers. */
async function check(manager: Manager, id: string, server: StoredServer): Promise<Checked> {
  const signal = AbortSignal.timeout(checkMs)
  try {
    const list = async (connection: ServerConnection) => ({ ...(await connection.list()), title: connection.title })
    return { state: 'ready', failure: null, ...(await withStoredServer(refOf(manager, id), server, manager.egress, signal, list)) }
  } catch (error) {
    return stateAfter(error, manager, id, signal)
  }
}

/** Throws an error that is no failure of the server. */
export async function stateAfter(
  error: unknown,
  manager: Manager,
  id: string,
  signal: AbortSignal,
): Promise<State & { readonly failure: ToolServerFailure }> {
  const known = error instanceof ServerFailure ? error : signal.aborted ? new ServerFailure('timeout') : null
  if (known === null) throw error
  const { code, wantsLogin } = await settledFailure({ ...refOf(manager, id), owner: withoutUser(manager.owner) }, known)
  return { state: wantsLogin ? 'login' : 'failed', failure: code }
}

export type NewServer = {
  readonly id: string
  readonly url: string
  readonly name: string
  readonly headers: { readonly [name: string]: string }
}

/** The failure if the server cannot be used; then nothing is stored. A server that wants a login is stored. */
export async function addServer(manager: Manager, { id, url, name, headers }: NewServer): Promise<ToolServerFailure | null | 'taken'> {
  const { env, authSecret, owner, nowMs, egress } = manager
  // A repeated request.
  if (await readToolServer(env, owner, id)) return null
  if (!isPublicAddress(new URL(url), egress.isLocalAllowed)) return 'address'
  const secret = { headers }
  const {
    title = '',
    state,
    failure,
    tools = [],
    unusable = 0,
    ...offer
  } = await check(manager, id, { url, secret: { secret, version: 0 } })
  const { resources = null, prompts = null, leftOut = [] } = offer
  if (state === 'failed') return failure
  const hasHeaders = Object.keys(headers).length > 0
  const row: ToolServerRow = {
    ...{ id, url, state, failure, tools, unusable, resources, prompts, leftOut },
    name: cutAt(name || ownTitle(title) || new URL(url).hostname, maxToolServerNameChars),
    login: hasHeaders ? 'headers' : state === 'login' ? 'oauth' : 'none',
    off: null,
    headerNames: hasHeaders ? Object.keys(headers) : null,
    createdAt: nowMs,
    checkedAt: nowMs,
  }
  try {
    return (await insertToolServer(env, owner, row, await sealSecret(authSecret, id, secret))) ? null : 'taken'
  } catch (error) {
    const guard = classifyD1Error(error)
    if (guard.kind === 'guard' && guard.code === 'tool_server_limit_reached') return 'limit'
    throw error
  }
}

/** The title that a server gives itself, without that of Parley: its calls are shown with this name. */
const ownTitle = (title: string): string => (/parley/i.test(title.normalize('NFKC')) ? '' : cleanName(title))

/** Reads again what the server offers. Null if it does not exist. */
export async function refreshServer(manager: Manager, id: string): Promise<Pick<ToolServerRow, 'state' | 'failure'> | null> {
  const { env, owner, nowMs } = manager
  const server = await readServer(manager, id)
  if (!server) return null
  const { title: _, tools, ...checked } = await check(manager, id, server)
  const changes = { ...checked, checkedAt: nowMs }
  if (tools) await storeListing({ env, owner, id }, { ...changes, tools }, { isRepeatWritten: true })
  else await updateToolServer(env, owner, id, changes)
  return { state: checked.state, failure: checked.failure }
}

/** Replaces the headers of a server, and ends its login. */
export async function setHeaders(
  manager: Manager,
  id: string,
  headers: { readonly [name: string]: string },
): Promise<Pick<ToolServerRow, 'state' | 'failure'> | null> {
  const ref = refOf(manager, id)
  const names = Object.keys(headers)
  const changes: ToolServerChanges = { login: names.length > 0 ? 'headers' : 'none', headerNames: names.length > 0 ? names : null }
  const changed = await changeSecret(ref, () => ({ headers }), { changes })
  if (!changed) return null
  await revokeLogins(changed.before, egressOf(manager))
  return refreshServer(manager, id)
}

export type ServerChanges = Pick<ToolServerChanges, 'name' | 'off'> & {
  /** A changed tool, with the definition that the user has seen. */
  readonly accept?: Pick<ServerTool, 'name' | 'digest'> | undefined
}

/** The refusal, or null. */
export async function changeServer(
  { env, owner }: Manager,
  id: string,
  { accept, ...changes }: ServerChanges,
): Promise<RefusalCode | null> {
  if (!(await readToolServer(env, owner, id))) return 'not_found'
  if (Object.keys(changes).length > 0) await updateToolServer(env, owner, id, changes)
  return !accept || (await acceptTool({ env, owner, id }, accept.name, accept.digest)) ? null : 'tool_changed'
}

export type LoginStart = { readonly sessionId: string; readonly redirectUrl: string }

/**
 * The address where the user logs in, or the reason why there is no address. `scopes`: what the server requires beyond the last login. Null if the
 * server does not exist.
 */
export async function startLogin(
  manager: Manager,
  id: string,
  start: LoginStart,
): Promise<{ readonly address: string; readonly scopes?: readonly string[] } | { readonly failure: ToolServerFailure } | null> {
  const ref = refOf(manager, id)
  const server = await readServer(manager, id)
  if (!server) return null
  const { oauth } = server.secret.secret
  try {
    const begin = { ...start, url: server.url, nowMs: manager.nowMs }
    const { pending, address } = await beginLogin(id, oauth, begin, egressOf(manager))
    // An earlier login stays until the new one is completed.
    const changed = await changeSecret(ref, (secret) => ({ ...secret, oauth: { ...secret.oauth, pending } }))
    const { required } = oauth ?? {}
    return changed && { address, ...(required && { scopes: required }) }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    return { failure: error.code }
  }
}

/** Completes a login with the parameters of the callback. Null if this session has begun no such login. */
export async function finishLogin(
  manager: Manager,
  params: URLSearchParams,
  sessionId: string,
): Promise<{ readonly id: string; readonly failure: ToolServerFailure | null } | null> {
  const id = params.get('state')?.split('.')[0] ?? ''
  const ref = refOf(manager, id)
  const row = await readToolServer(manager.env, manager.owner, id)
  // The code is used by one request only.
  const used = await changeSecret(ref, ({ oauth = {}, ...others }) => {
    const { pending } = oauth
    if (!isAnswerTo(pending, params, { sessionId, nowMs: manager.nowMs })) return null
    return { ...others, oauth: { ...oauth, pending: { ...pending, isUsed: true } } }
  })
  const pending = used?.after.secret.oauth?.pending
  if (!row || !pending) return null
  try {
    const login = await completeLogin(pending, row.url, params, egressOf(manager))
    const stored = await changeSecret(
      ref,
      ({ oauth = {}, ...others }) => (oauth.pending?.state === pending.state ? { ...others, oauth: completedLogin(oauth, login) } : null),
      { changes: { login: 'oauth' } },
    )
    if (!stored) {
      // The user has logged out or begun another login in the meantime, or may no longer manage the server.
      await revokeTokens(login, egressOf(manager))
      return { id, failure: 'login_failed' }
    }
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    await updateToolServer(manager.env, manager.owner, id, { state: 'login', failure: error.code })
    return { id, failure: error.code }
  }
  return { id, failure: (await refreshServer(manager, id))?.failure ?? null }
}

/** Ends the login of a server. False if the server does not exist. */
export async function endLogin(manager: Manager, id: string): Promise<boolean> {
  // Deleted first: the tokens must be gone also if the server does not answer.
  const changed = await changeSecret(refOf(manager, id), ({ headers }) => ({ headers }))
  if (!changed) return false
  await updateToolServer(manager.env, manager.owner, id, { state: 'login', failure: 'refused' })
  await revokeLogins(changed.before, egressOf(manager))
  return true
}

/** Removes the server with its credentials. A repeated request changes nothing. */
export async function removeServer({ env, owner, ...manager }: Manager, id: string): Promise<void> {
  const database = await deleteToolServer(env, owner, id, manager.nowMs)
  await revokeWaiting({ ...manager, database, id })
}
