/**
 * The Worker's half of a sync connection, for a request that is an upgrade: version, parameters, token, origin, user, in this order; then
 * it goes to the object of that user, which checks the rest. Nobody reaches an object without a token for it.
 */
import { verifySyncToken } from '../auth/token.ts'
import { refusal } from '../contract/errors.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import { type Admission, admittedRequest } from './connect/facts.ts'
import { refuseSocket } from './connect/refuse-socket.ts'
import { type ConnectUrl, parseConnectUrl } from './protocol/connect-params.ts'
import { comeBack, type ErrorBody, fatal } from './protocol/error.ts'
import { decodeSubProtocol } from './protocol/sub-protocol.ts'
import { protocolVersion } from './protocol/version.ts'

type ConnectEnv = DatabaseBindings & { readonly USER_SYNC: { getByName(userId: string): { fetch(request: Request): Promise<Response> } } }

/** Where people are, when that is not where the request went to. */
type ConnectSettings = { readonly publicUrl: string | null }

/** `onAdmitted` hears who it is, once that is proven. */
export async function handleSyncConnect(
  request: Request,
  env: ConnectEnv,
  { publicUrl }: ConnectSettings,
  onAdmitted?: (userId: string) => void,
): Promise<Response> {
  const url = new URL(request.url)
  const connect = parseConnectUrl(url)
  if (!connect) return Response.json({ error: refusal('not_found') }, { status: 404 })
  const subProtocol = request.headers.get('sec-websocket-protocol')
  const admitted = await admit(request, connect, url, env, publicUrl)
  if ('error' in admitted) return refuseSocket(subProtocol, admitted.error)
  onAdmitted?.(admitted.userId)
  try {
    return await env.USER_SYNC.getByName(admitted.userId).fetch(admittedRequest(request, admitted))
  } catch (error) {
    // Replaced by a deploy, overloaded, or broken: the platform starts it anew for whoever comes next.
    logger.error('connect failed', error)
    return refuseSocket(subProtocol, comeBack('the server could not be reached'))
  }
}

async function admit(
  request: Request,
  { version, params }: ConnectUrl,
  url: URL,
  env: ConnectEnv,
  publicUrl: string | null,
): Promise<Admission | { readonly error: ErrorBody }> {
  if (version !== protocolVersion)
    return { error: fatal('VersionNotSupported', `this server speaks version ${protocolVersion} of the protocol`) }
  if ('invalid' in params) return { error: fatal('InvalidConnectionRequest', params.invalid) }
  const header = request.headers.get('sec-websocket-protocol')
  const sent = header === null ? {} : decodeSubProtocol(header)
  if (sent === null) return { error: fatal('InvalidConnectionRequest', 'the sub-protocol cannot be read') }
  const token = await verify(env, sent.authToken)
  if ('error' in token) return token
  if (!isOwnOrigin(request.headers.get('origin'), url, publicUrl))
    return { error: fatal('InvalidConnectionRequest', 'this origin may not connect') }
  if (params.userID !== undefined && params.userID !== token.userId)
    return { error: fatal('Unauthorized', 'the token is for another user') }
  return token
}

async function verify(env: ConnectEnv, authToken: string | undefined): Promise<Admission | { readonly error: ErrorBody }> {
  try {
    const token = await verifySyncToken(env, authToken)
    return 'refused' in token ? { error: fatal('Unauthorized', `the token is ${token.refused}`) } : token
  } catch (error) {
    logger.error('token check failed', error)
    return { error: comeBack('the token could not be checked') }
  }
}

/** Programs send no origin; pages always do, and only our own may speak for a person. */
function isOwnOrigin(origin: string | null, url: URL, publicUrl: string | null): boolean {
  if (origin === null) return true
  const own = [url.origin, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])]
  return own.includes(origin)
}
