/**
 * True if a request may act for the signed-in user. Browsers send `Origin` with every state-changing request and every WebSocket upgrade;
 * only our own origin is accepted. Other clients send no `Origin` and have no cookie of a user.
 */
export function isOwnOrigin(origin: string | null, url: URL, publicUrl: string | null): boolean {
  if (origin === null) return true
  return origin === url.origin || (publicUrl !== null && origin === new URL(publicUrl).origin)
}
