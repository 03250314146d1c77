/**
 * Whether a request may speak for the user who is signed in. Browsers send `Origin` with every request that changes state and with every
 * WebSocket upgrade; only pages of our own origin are accepted. Programs send no `Origin` and hold no user's cookie.
 */
export function isOwnOrigin(origin: string | null, url: URL, publicUrl: string | null): boolean {
  if (origin === null) return true
  return origin === url.origin || (publicUrl !== null && origin === new URL(publicUrl).origin)
}
