/**
 * The headers that keep a page to itself. Scripts come from our own origin only; styles may be inline, because toasts and dialogs place themselves
 * that way; the page talks to its own origin and to the two addresses it was built with, if they differ.
 */

export type ConnectTargets = { readonly apiUrl: string | undefined; readonly syncUrl: string | undefined }

export function contentSecurityPolicy(requestUrl: string, nonce: string | null, targets: ConnectTargets): string {
  const { host } = new URL(requestUrl)
  const connect = new Set(["'self'", `ws://${host}`, `wss://${host}`, ...[targets.apiUrl, targets.syncUrl].flatMap(originsOf)])
  return [
    "default-src 'self'",
    `script-src 'self'${nonce === null ? '' : ` 'nonce-${nonce}'`}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src ${[...connect].join(' ')}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** An http address is reached by socket, too. An address that is none is left out: the build refuses it before. */
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
