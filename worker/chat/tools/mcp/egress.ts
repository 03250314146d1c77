/**
 * The only way to a tool server: requests to an address that a user or a server chose. Each request, also after a redirect and during a login,
 * goes to a public https address, stays within its origin, and has bounded bytes and time.
 *
 * Names that resolve to private addresses: Cloudflare's network reaches none, and the container gives the Worker a connection to the public
 * internet only (`PUBLIC_INTERNET`).
 */
import { maxServerResponseBytes } from '../../../contract/limits.ts'
import { boundedResponse, checkedBody, EndlessBodyError, failAbove } from '../../../lib/bounded-body.ts'
import { ServerFailure } from './server-failure.ts'

export type ServerEgress = {
  readonly send: typeof fetch
  /** Development: a server on this machine may be used, also without TLS. */
  readonly isLocalAllowed: boolean
  /** For tests: factor of all times. */
  readonly hurry?: number
}

/** The way to servers from this deployment. `fetch` must be called as a function of the global scope. */
export const serverEgress = (network: Fetcher | undefined, environment: 'production' | 'development'): ServerEgress => ({
  send: network ? (input, init) => network.fetch(input, init) : (input, init) => fetch(input, init),
  isLocalAllowed: environment === 'development',
})

/** A `fetch` for the SDK, and the failure that it met last: the SDK replaces errors of streams by its own. */
export type GuardedFetch = {
  readonly fetch: typeof fetch
  readonly failure: () => ServerFailure | null
  readonly isLocalAllowed: boolean
}

/** `signal`: ends all requests. */
export function guardedFetch({ send, isLocalAllowed }: ServerEgress, signal: AbortSignal, maxBytes = maxServerResponseBytes): GuardedFetch {
  let failure: ServerFailure | null = null
  const fail = (code: ServerFailure['code'], cause?: unknown): never => {
    failure = new ServerFailure(code, { cause })
    throw failure
  }
  const request = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (!isPublicAddress(url, isLocalAllowed)) return fail('address')
    const signals = init.signal ? AbortSignal.any([init.signal, signal]) : signal
    // The SDK follows only redirects within its origin, each by another request.
    const sent = send(url, { ...init, redirect: 'manual', signal: signals })
    return bounded(await sent.catch((error: unknown) => (isAborted(error) ? Promise.reject(error) : fail('unreachable', error))))
  }
  const bounded = (response: Response): Response => {
    if (Number(response.headers.get('content-length')) > maxBytes) {
      void response.body?.cancel()
      return fail('too_large')
    }
    const check = failAbove(maxBytes)
    return boundedResponse(response, (body) =>
      checkedBody(body, (chunk) => {
        try {
          check(chunk)
        } catch (error) {
          fail(error instanceof EndlessBodyError ? 'too_large' : 'unreadable', error)
        }
      }),
    )
  }
  return { fetch: request as typeof fetch, failure: () => failure, isLocalAllowed }
}

const isAborted = (error: unknown): boolean => error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')

/** True for an https address of the public internet. The names and numbers of private networks are refused in every spelling. */
export function isPublicAddress(url: URL, isLocalAllowed: boolean): boolean {
  if (url.username !== '' || url.password !== '') return false
  // `URL` normalises numbers: 0x7f.1 is 127.0.0.1.
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  if (isLocalAllowed && isLoopback(host)) return url.protocol === 'http:' || url.protocol === 'https:'
  if (url.protocol !== 'https:') return false
  if (host.startsWith('[')) return isPublicV6(host.slice(1, -1))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPublicV4(host)
  return host.includes('.') && !privateNames.test(host)
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)

/** Names that never leave a machine or a local network (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`). */
const privateNames =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid|test|example)$/

/** Not globally reachable (RFC 6890 and later): private, loopback, link-local, shared, test, multicast and reserved blocks. */
const privateV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

const numberOf = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const isPublicV4 = (address: string): boolean =>
  !privateV4.some(([block, bits]) => Math.floor(numberOf(address) / 2 ** (32 - bits)) === Math.floor(numberOf(block) / 2 ** (32 - bits)))

/** Only 2000::/3 is global, without its blocks for documentation, tunnels and addresses that contain an IPv4 address. */
function isPublicV6(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] || '0', 16)
  const second = Number.parseInt(address.split(':')[1] || '0', 16)
  if (first < 0x2000 || first > 0x3fff) return false
  return !(first === 0x2002 || (first === 0x2001 && (second < 0x200 || second === 0xdb8)) || (first === 0x3fff && second < 0x1000))
}
