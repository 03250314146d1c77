type Address = { readonly origin: string; readonly pathname: string; readonly search: string; readonly hash: string }

/** Both sides have `URL`, but the contract is compiled without the types of either. */
declare const URL: { new (address: string): Address; parse(address: string, base: string): Address | null }

/**
 * Returns the path, query and hash of a redirect target on `origin`, otherwise `fallback`. Leading slashes become one, because `//host` is
 * the address of another site. The client and the server check every redirect with it.
 */
export function ownPath(value: unknown, origin: string, fallback: string): string {
  const url = typeof value === 'string' && value !== '' ? URL.parse(value, origin) : null
  if (url?.origin !== new URL(origin).origin) return fallback
  // A `blob:` URL has our origin but no path of ours.
  if (!url.pathname.startsWith('/')) return fallback
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash
}
