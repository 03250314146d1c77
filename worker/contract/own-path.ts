type Address = { readonly origin: string; readonly pathname: string; readonly search: string; readonly hash: string }

/** Both sides have it; the contract is compiled with the types of neither. */
declare const URL: { new (address: string): Address; parse(address: string, base: string): Address | null }

/**
 * Where somebody asked to be sent, if that is here: the path, query and hash of an address of `origin`; otherwise `fallback`. Slashes at the
 * beginning become one, because a path of two is the address of another site. Both sides ask this before they lead anybody anywhere.
 */
export function ownPath(value: unknown, origin: string, fallback: string): string {
  const url = typeof value === 'string' && value !== '' ? URL.parse(value, origin) : null
  if (url?.origin !== new URL(origin).origin) return fallback
  // An address within another one, as blob: has it, has our origin and no path of ours.
  if (!url.pathname.startsWith('/')) return fallback
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash
}
