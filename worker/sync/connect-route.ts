/**
 * The Worker's half of a sync connection: checks the version, the parameters, the token, the origin and the user, in this order, and forwards
 * the request to the user's object, which checks the rest. An object is only reachable with a token of its user.
 */
import { logger } from '../lib/logger.ts'
import { isOwnOrigin } from '../lib/own-origin.ts'
import { forwardedRequest, refuseSocket } from './connect/upgrade.ts'
import type { Authenticate, Token } from './object/app.ts'
import { type ErrorBody, fatal, serverOverloaded } from './protocol/down.ts'
import { type ConnectUrl, decodeSubProtocol, parseConnectUrl, protocolVersion } from './protocol/up.ts'

type ConnectOptions = {
  readonly objects: { getByName(userId: string): { fetch(request: Request): Promise<Response> } }
  readonly authenticate: Authenticate
  /** The address of the application, when requests reach the Worker under another one. */
  readonly publicUrl: string | null
  readonly onAuthenticated?: (userId: string) => void
}

/** Null when the address is not one of the sync protocol. */
export async function handleSyncConnect(request: Request, options: ConnectOptions): Promise<Response | null> {
  const url = new URL(request.url)
  const connect = parseConnectUrl(url)
  if (!connect) return null
  const subProtocol = request.headers.get('sec-websocket-protocol')
  const token = await check(request, connect, url, options)
  if ('error' in token) return refuseSocket(subProtocol, token.error)
  options.onAuthenticated?.(token.userId)
  try {
    return await options.objects.getByName(token.userId).fetch(forwardedRequest(request, token))
  } catch (error) {
    // Replaced by a deploy, overloaded, or broken. The platform starts a new instance for the next request.
    logger.error('connect_failed', error)
    return refuseSocket(subProtocol, serverOverloaded('the server could not be reached'))
  }
}

type Refusal = { readonly error: ErrorBody }

async function check(
  request: Request,
  { version, params }: ConnectUrl,
  url: URL,
  { authenticate, publicUrl }: ConnectOptions,
): Promise<Token | Refusal> {
  if (version !== protocolVersion)
    return { error: fatal('VersionNotSupported', `this server speaks version ${protocolVersion} of the protocol`) }
  if ('invalid' in params) return { error: fatal('InvalidConnectionRequest', params.invalid) }
  const header = request.headers.get('sec-websocket-protocol')
  const sent = header === null ? {} : decodeSubProtocol(header)
  if (sent === null) return { error: fatal('InvalidConnectionRequest', 'the sub-protocol cannot be read') }
  const token = await verify(authenticate, sent.authToken)
  if ('error' in token) return token
  if (!isOwnOrigin(request.headers.get('origin'), url, publicUrl))
    return { error: fatal('InvalidConnectionRequest', 'this origin may not connect') }
  if (params.userID !== undefined && params.userID !== token.userId)
    return { error: fatal('Unauthorized', 'the token is for another user') }
  return token
}

async function verify(authenticate: Authenticate, authToken: string | undefined): Promise<Token | Refusal> {
  try {
    const token = await authenticate(authToken)
    return 'refused' in token ? { error: fatal('Unauthorized', `the token is ${token.refused}`) } : token
  } catch (error) {
    logger.error('token_check_failed', error)
    return { error: serverOverloaded('the token could not be checked') }
  }
}
