/** What the Worker tells the object about a connection that it has let through: headers that no client can set, over the client's own. */

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

export function admissionOf(request: Request): Admission | null {
  const userId = request.headers.get(userHeader)
  const sessionId = request.headers.get(sessionHeader)
  const expiresAtMs = Number(request.headers.get(expiryHeader))
  if (!userId || !sessionId || !Number.isFinite(expiresAtMs)) return null
  return { userId: decodeURIComponent(userId), sessionId: decodeURIComponent(sessionId), expiresAtMs }
}
