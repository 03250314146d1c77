/**
 * What the Worker tells the object about a connection that it has let through: the client's own request, and over it headers that no client
 * can set.
 */
import { parseConnectUrl } from '../protocol/connect-params.ts'
import { decodeSubProtocol } from '../protocol/sub-protocol.ts'
import type { Connecting } from './connect.ts'

const userHeader = 'x-sync-user'
const sessionHeader = 'x-sync-session'
const expiryHeader = 'x-sync-expires'

export type Admission = { readonly userId: string; readonly sessionId: string; readonly expiresAtMs: number }

export function admittedRequest(request: Request, { userId, sessionId, expiresAtMs }: Admission): Request {
  const headers = new Headers(request.headers)
  headers.set(userHeader, encodeURIComponent(userId))
  headers.set(sessionHeader, encodeURIComponent(sessionId))
  headers.set(expiryHeader, String(expiresAtMs))
  return new Request(request, { headers })
}

function admissionOf(request: Request): Admission | null {
  const userId = request.headers.get(userHeader)
  const sessionId = request.headers.get(sessionHeader)
  const expiresAtMs = Number(request.headers.get(expiryHeader))
  if (!userId || !sessionId || !Number.isFinite(expiresAtMs)) return null
  return { userId: decodeURIComponent(userId), sessionId: decodeURIComponent(sessionId), expiresAtMs }
}

/** Null for what cannot have come from the Worker. */
export function readUpgrade(request: Request): (Connecting & { readonly userId: string }) | null {
  const subProtocol = request.headers.get('sec-websocket-protocol')
  const { hostname: host } = new URL(request.url)
  const url = parseConnectUrl(new URL(request.url))
  const admission = admissionOf(request)
  const sent = subProtocol === null ? {} : decodeSubProtocol(subProtocol)
  if (!url || 'invalid' in url.params || !admission || sent === null) return null
  return { params: url.params, init: sent.initConnectionMessage?.[1], subProtocol, host, ...admission }
}
