/**
 * Which addresses a tool may fetch: public http(s) pages and nothing that only this machine, its network or this product can reach.
 * `URL` has done the unmasking by then: decimal, octal and hexadecimal hosts, full-width letters and percent signs come out as what they mean.
 */
import { isIPv4, isPublicAddress } from './public-address.ts'

export type UrlVerdict = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly reason: string }

const maxUrlChars = 2000

/** Names that no public DNS answers for, or that a network answers for itself (RFC 6761, RFC 6762, RFC 8375, ICANN's collisions). */
const privateSuffixes = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'test',
  'example',
  'invalid',
  'onion',
  'alt',
  'arpa',
] as const

/** Where Workers live. Which of them are ours cannot be known here, and a Worker's call to its neighbour may pass doors that a stranger's would not. */
const platformSuffixes = ['workers.dev', 'pages.dev', 'cloudflareworkers.com'] as const

export function judgeUrl(text: string, ownHosts: readonly string[]): UrlVerdict {
  const url = parse(text)
  if (!url) return no('This is not a web address.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return no('Only http and https addresses can be read.')
  if (url.username !== '' || url.password !== '') return no('Addresses with a user name or password are not read.')
  if (url.port !== '' && url.port !== '80' && url.port !== '443') return no('Only the ports 80 and 443 are read.')
  return isPublicHost(url.hostname, ownHosts) ? { ok: true, url } : no('This address is not on the public internet.')
}

export function isPublicHost(hostname: string, ownHosts: readonly string[]): boolean {
  if (hostname.startsWith('[')) return isPublicAddress(hostname.slice(1, -1))
  if (isIPv4(hostname)) return isPublicAddress(hostname)
  const name = hostname.toLowerCase().replace(/\.+$/, '')
  // A name of one label belongs to somebody's own network. `URL` has made punycode of everything else that is no letter, digit or hyphen.
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.[a-z][a-z0-9-]+$/.test(name)) return false
  const closed = [...privateSuffixes, ...platformSuffixes, ...ownHosts.map((host) => host.toLowerCase())]
  return !closed.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/** Two spellings of one page have one key: the scheme, the fragment and a slash at the end do not matter. */
export function pageKey(text: string): string | null {
  const url = parse(text)
  return url && `${url.hostname.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`
}

export const siteOf = (text: string): string => parse(text)?.hostname.replace(/^www\./, '') ?? text

const no = (reason: string): UrlVerdict => ({ ok: false, reason })

function parse(text: string): URL | null {
  if (text.length > maxUrlChars) return null
  try {
    return new URL(text.trim())
  } catch {
    // Not an address.
    return null
  }
}
