/**
 * Security headers. Scripts come from our own origin, and from Turnstile where it is configured. Styles may be inline, because toasts and
 * dialogs position themselves that way. The page connects to its own origin and to the two addresses that it was built with.
 *
 * Not `hono/secure-headers`: its functions run before the handler, and the policy depends on the content type of the response.
 */

export type ConnectTargets = { readonly apiUrl: string | undefined; readonly syncUrl: string | undefined }

export function contentSecurityPolicy(
  requestUrl: string,
  nonce: string | null,
  targets: ConnectTargets,
  turnstileUrl: string | null = null,
): string {
  const { host } = new URL(requestUrl)
  const connect = new Set(["'self'", `ws://${host}`, `wss://${host}`, ...[targets.apiUrl, targets.syncUrl].flatMap(originsOf)])
  const turnstile = turnstileUrl === null ? '' : ` ${new URL(turnstileUrl).origin}`
  return [
    "default-src 'self'",
    `script-src 'self'${nonce === null ? '' : ` 'nonce-${nonce}'`}${turnstile}`,
    ...(turnstile === '' ? [] : [`frame-src 'self'${turnstile}`]),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src ${[...connect].join(' ')}`,
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    // The form of the magic-link page posts to the API.
    `form-action ${["'self'", ...originsOf(targets.apiUrl).slice(0, 1)].join(' ')}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Adds the WebSocket origin to an http(s) origin. Invalid addresses are skipped; the build rejects them. */
function originsOf(address: string | undefined): string[] {
  if (!address || !URL.canParse(address)) return []
  const { origin, protocol, host } = new URL(address)
  return protocol === 'https:' ? [origin, `wss://${host}`] : [origin, `ws://${host}`]
}

export function securityHeaders(requestUrl: string): readonly (readonly [name: string, value: string])[] {
  return [
    ['x-content-type-options', 'nosniff'],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'strict-origin-when-cross-origin'],
    ['cross-origin-opener-policy', 'same-origin-allow-popups'],
    ['permissions-policy', 'camera=(), geolocation=(), microphone=()'],
    ...(new URL(requestUrl).protocol === 'https:' ? [['strict-transport-security', 'max-age=31536000; includeSubDomains'] as const] : []),
  ]
}
