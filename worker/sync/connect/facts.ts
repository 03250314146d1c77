/** What the Worker tells the object about a connection that it has let through: headers that no client can set, over the client's own. */

const userHeader = 'x-sync-user'
const expiryHeader = 'x-sync-expires'

export type Admission = { readonly userId: string; readonly expiresAtMs: number }

export function admittedRequest(request: Request, { userId, expiresAtMs }: Admission): Request {
  const headers = new Headers(request.headers)
  headers.set(userHeader, encodeURIComponent(userId))
  headers.set(expiryHeader, String(expiresAtMs))
  return new Request(request, { headers })
}

export function admissionOf(request: Request): Admission | null {
  const userId = request.headers.get(userHeader)
  const expiresAtMs = Number(request.headers.get(expiryHeader))
  return userId && Number.isFinite(expiresAtMs) ? { userId: decodeURIComponent(userId), expiresAtMs } : null
}
