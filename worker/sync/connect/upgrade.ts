/**
 * The upgrade request between the Worker and the object. The Worker forwards the client's own request with headers that no client can set. A
 * refused connection is an accepted socket that receives `error` in place of `connected`: the client reads refusals in this form only.
 */
import type { Token } from '../object/app.ts'
import { type ErrorBody, encodeDown } from '../protocol/down.ts'
import { type ConnectParams, decodeSubProtocol, type InitConnection, parseConnectUrl } from '../protocol/up.ts'

const userHeader = 'x-sync-user'
const sessionHeader = 'x-sync-session'
const expiryHeader = 'x-sync-expires'

export type Upgrade = Token & {
  readonly params: ConnectParams
  readonly init: InitConnection | undefined
  readonly subProtocol: string | null
  readonly userAgent: string
}

export function forwardedRequest(request: Request, { userId, sessionId, expiresAtMs }: Token): Request {
  const headers = new Headers(request.headers)
  headers.set(userHeader, encodeURIComponent(userId))
  headers.set(sessionHeader, encodeURIComponent(sessionId))
  headers.set(expiryHeader, String(expiresAtMs))
  return new Request(request, { headers })
}

/** Chosen: longer than the user agents of browsers. */
const maxUserAgentChars = 256

/** Null for a request that the Worker did not forward. */
export function readUpgrade(request: Request): Upgrade | null {
  const subProtocol = request.headers.get('sec-websocket-protocol')
  const url = parseConnectUrl(new URL(request.url))
  const token = forwardedToken(request)
  const sent = subProtocol === null ? {} : decodeSubProtocol(subProtocol)
  if (!url || 'invalid' in url.params || !token || sent === null) return null
  const userAgent = (request.headers.get('user-agent') ?? '').slice(0, maxUserAgentChars)
  return { params: url.params, init: sent.initConnectionMessage?.[1], subProtocol, userAgent, ...token }
}

function forwardedToken(request: Request): Token | null {
  const userId = request.headers.get(userHeader)
  const sessionId = request.headers.get(sessionHeader)
  const expiresAtMs = Number(request.headers.get(expiryHeader))
  if (!userId || !sessionId || !Number.isFinite(expiresAtMs)) return null
  return { userId: decodeURIComponent(userId), sessionId: decodeURIComponent(sessionId), expiresAtMs }
}

export function refuseSocket(subProtocol: string | null, error: ErrorBody): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  server.accept()
  server.send(encodeDown(['error', error]))
  server.close(1000, error.kind)
  return upgraded(client, subProtocol)
}

/** Browsers close a connection whose sub-protocol is not echoed exactly. */
export function upgraded(webSocket: WebSocket, subProtocol: string | null): Response {
  return new Response(null, { status: 101, webSocket, headers: subProtocol === null ? {} : { 'sec-websocket-protocol': subProtocol } })
}
