/** The actions of a user on tool servers in the settings. Each function has checked values and the owner's id; rows of other users are missing. */
import { maxServerResponseBytes, maxToolServerNameChars, serverListTimeoutMs, toolServerTimeoutMs } from '../../../contract/limits.ts'
import { cleanName } from '../../../contract/names.ts'
import { cutAt } from '../../../contract/text.ts'
import type { ToolServerFailure } from '../../../contract/tools/tool-servers.ts'
import { classifyD1Error } from '../../../db/errors.ts'
import type { DatabaseBindings } from '../../../db/shards.ts'
import {
  deleteToolServer,
  insertToolServer,
  readToolServer,
  type ToolServerChanges,
  type ToolServerRow,
  updateToolServer,
} from '../../../db/tool-servers.ts'
import { type ServerOffer, withServer } from './connection.ts'
import { guardedFetch, isPublicAddress, type ServerEgress } from './egress.ts'
import { ServerFailure } from './server-failure.ts'
import { beginLogin, completeLogin, credentialsOf, isAnswerTo, revokeTokens } from './server-login.ts'
import { readSecret, type ServerRef, type ServerSecret, sealSecret, writeSecret } from './server-secrets.ts'

export type Manager = {
  readonly env: DatabaseBindings
  readonly authSecret: string
  readonly userId: string
  readonly egress: ServerEgress
  readonly nowMs: number
}

export const refOf = ({ env, authSecret, userId }: Manager, id: string): ServerRef => ({ env, authSecret, userId, id })

/** A fetch for one action of the user. */
export const egressOf = ({ egress }: Manager) => ({
  ...guardedFetch({ ...egress, signal: AbortSignal.timeout(2 * toolServerTimeoutMs), maxBytes: maxServerResponseBytes }),
  isLocalAllowed: egress.isLocalAllowed,
})

/** Chosen: connecting twice (by HTTP and by SSE), and reading the tools and three further lists. */
export const checkMs = 3 * toolServerTimeoutMs + 3 * serverListTimeoutMs

type Checked = Pick<ToolServerRow, 'state' | 'failure'> & Partial<ServerOffer> & { readonly title?: string }

/** Connects and reads what the server offers. */
async function check(manager: Manager, id: string, url: string, secret: { secret: ServerSecret; version: number }): Promise<Checked> {
  const signal = AbortSignal.timeout(checkMs)
  const credentials = credentialsOf(refOf(manager, id), secret, egressOf(manager))
  try {
    return await withServer({ url, credentials }, manager.egress, signal, async (server) => {
      return { state: 'ready', failure: null, ...(await server.list()), title: server.title }
    })
  } catch (error) {
    const failure = error instanceof ServerFailure ? error.code : signal.aborted ? 'timeout' : null
    if (failure === null) throw error
    return { state: failure === 'refused' ? 'login' : 'failed', failure }
  }
}

export type NewServer = {
  readonly id: string
  readonly url: string
  readonly name: string
  readonly headers: { readonly [name: string]: string }
}

/** The failure if the server cannot be used; then nothing is stored. A server that wants a login is stored. */
export async function addServer(manager: Manager, { id, url, name, headers }: NewServer): Promise<ToolServerFailure | null | 'taken'> {
  const { env, authSecret, userId, nowMs, egress } = manager
  // A repeated request.
  if (await readToolServer(env, userId, id)) return null
  if (!isPublicAddress(new URL(url), egress.isLocalAllowed)) return 'address'
  const secret = { headers }
  const { title = '', state, failure, tools = [], unusable = 0, ...offer } = await check(manager, id, url, { secret, version: 0 })
  const { resources = null, prompts = null, leftOut = [] } = offer
  if (state === 'failed') return failure
  const hasHeaders = Object.keys(headers).length > 0
  const row: ToolServerRow = {
    ...{ id, userId, url, state, failure, tools, unusable, resources, prompts, leftOut },
    name: cutAt(name || cleanName(title) || new URL(url).hostname, maxToolServerNameChars),
    login: hasHeaders ? 'headers' : state === 'login' ? 'oauth' : 'none',
    off: null,
    headerNames: hasHeaders ? Object.keys(headers) : null,
    createdAt: nowMs,
    checkedAt: nowMs,
  }
  try {
    return (await insertToolServer(env, row, await sealSecret(authSecret, id, secret))) ? null : 'taken'
  } catch (error) {
    const guard = classifyD1Error(error)
    if (guard.kind === 'guard' && guard.code === 'tool_server_limit_reached') return 'limit'
    throw error
  }
}

/** Reads again what the server offers. Null if it does not exist. */
export async function refreshServer(manager: Manager, id: string): Promise<Pick<ToolServerRow, 'state' | 'failure'> | null> {
  const { env, userId, nowMs } = manager
  const [row, secret] = [await readToolServer(env, userId, id), await readSecret(refOf(manager, id))]
  if (!row || !secret) return null
  const { title: _, ...checked } = await check(manager, id, row.url, secret)
  await updateToolServer(env, userId, id, { ...checked, checkedAt: nowMs })
  return { state: checked.state, failure: checked.failure }
}

/** Replaces the headers of a server, and ends its login. */
export async function setHeaders(
  manager: Manager,
  id: string,
  headers: { readonly [name: string]: string },
): Promise<Pick<ToolServerRow, 'state' | 'failure'> | null> {
  const ref = refOf(manager, id)
  const read = await readSecret(ref)
  if (!read) return null
  if (read.secret.oauth) await revokeTokens(read.secret.oauth, egressOf(manager))
  await writeSecret(ref, { secret: { headers }, version: read.version })
  const names = Object.keys(headers)
  const changes: ToolServerChanges = { login: names.length > 0 ? 'headers' : 'none', headerNames: names.length > 0 ? names : null }
  await updateToolServer(manager.env, manager.userId, id, changes)
  return refreshServer(manager, id)
}

/** False if the server does not exist. */
export async function changeServer(
  { env, userId }: Manager,
  id: string,
  changes: Pick<ToolServerChanges, 'name' | 'off'>,
): Promise<boolean> {
  if (!(await readToolServer(env, userId, id))) return false
  if (Object.keys(changes).length > 0) await updateToolServer(env, userId, id, changes)
  return true
}

export type LoginStart = { readonly sessionId: string; readonly redirectUrl: string }

/** The address where the user logs in, or the reason why there is no address. Null if the server does not exist. */
export async function startLogin(
  manager: Manager,
  id: string,
  start: LoginStart,
): Promise<{ readonly address: string } | { readonly failure: ToolServerFailure } | null> {
  const ref = refOf(manager, id)
  const [row, read] = [await readToolServer(manager.env, manager.userId, id), await readSecret(ref)]
  if (!row || !read) return null
  try {
    const begin = { ...start, url: row.url, nowMs: manager.nowMs }
    const { login, address } = await beginLogin(id, read.secret.oauth, begin, egressOf(manager))
    // The tokens of an earlier login stay until the new one is completed.
    const { tokens } = read.secret.oauth ?? {}
    const secret = { headers: read.secret.headers, oauth: { ...login, ...(tokens && { tokens }) } }
    return (await writeSecret(ref, { secret, version: read.version })) ? { address } : { failure: 'busy' }
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
  const [row, read] = [await readToolServer(manager.env, manager.userId, id), await readSecret(ref)]
  const { oauth } = read?.secret ?? {}
  const pending = oauth?.pending
  if (!row || !read || !oauth || !isAnswerTo(pending, params, { sessionId, nowMs: manager.nowMs })) return null
  const { pending: _once, ...known } = oauth
  // The code is used by one request only.
  if (!(await writeSecret(ref, { secret: { ...read.secret, oauth: known }, version: read.version }))) return null
  try {
    const login = await completeLogin({ ...known, pending }, row.url, params, egressOf(manager))
    await writeSecret(ref, { secret: { ...read.secret, oauth: login }, version: read.version + 1 })
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    await updateToolServer(manager.env, manager.userId, id, { state: 'login', failure: error.code })
    return { id, failure: error.code }
  }
  await updateToolServer(manager.env, manager.userId, id, { login: 'oauth' })
  return { id, failure: (await refreshServer(manager, id))?.failure ?? null }
}

/** Ends the login of a server. False if the server does not exist. */
export async function endLogin(manager: Manager, id: string): Promise<boolean> {
  const ref = refOf(manager, id)
  const read = await readSecret(ref)
  if (!read) return false
  const { oauth, ...others } = read.secret
  // Deleted first: the tokens must be gone also if the server does not answer.
  await writeSecret(ref, { secret: others, version: read.version })
  await updateToolServer(manager.env, manager.userId, id, { state: 'login', failure: 'refused' })
  if (oauth) await revokeTokens(oauth, egressOf(manager))
  return true
}

/** Removes the server with its credentials. A repeated request changes nothing. */
export async function removeServer(manager: Manager, id: string): Promise<void> {
  const read = await readSecret(refOf(manager, id))
  await deleteToolServer(manager.env, manager.userId, id)
  if (read?.secret.oauth) await revokeTokens(read.secret.oauth, egressOf(manager))
}
