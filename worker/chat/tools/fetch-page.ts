/**
 * Fetches one public page. Every hop is judged before it is asked, by its name and by the addresses behind it; nothing of ours travels
 * along: no cookies, no authorisation, no referrer. Limits on hops, bytes and time hold for the whole way.
 */
import { maxPageBytes, pageTimeoutMs } from '../../contract/limits.ts'
import { firstBytes } from '../../lib/bounded-body.ts'
import { isPublicAddress } from './public-address.ts'
import { judgeUrl } from './public-url.ts'
import type { ResolveHost } from './resolve-host.ts'
import { ToolFailure } from './tool-failure.ts'

export type PageNetwork = {
  readonly fetch: typeof fetch
  readonly resolve: ResolveHost
  /** By which this product is reached: the host of PUBLIC_URL, and those that requests came by. */
  readonly ownHosts: readonly string[]
  readonly timeoutMs?: number
}

export type FetchedPage = { readonly url: string; readonly mediaType: string; readonly body: Response }

const maxHops = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const readableTypes = /^(?:text\/(?:html|plain|markdown|csv|xml)|application\/(?:xhtml\+xml|json|xml|(?:rss|atom|ld)\+(?:xml|json)))$/

/** Calls `use` with the page while the clock still runs, so that a body that never ends is cut off too. */
export async function withPage<T>(
  address: string,
  network: PageNetwork,
  signal: AbortSignal,
  use: (page: FetchedPage) => Promise<T>,
): Promise<T> {
  const clock = AbortSignal.timeout(network.timeoutMs ?? pageTimeoutMs)
  const limits = AbortSignal.any([signal, clock])
  const tooLate = new Promise<never>((_resolve, reject) => limits.addEventListener('abort', () => reject(limits.reason), { once: true }))
  try {
    return await Promise.race([follow(address, network, limits).then(use), tooLate])
  } catch (error) {
    if (error instanceof ToolFailure || signal.aborted) throw error
    if (clock.aborted) throw new ToolFailure('The page took too long to answer.')
    throw new ToolFailure('The page could not be reached.', { cause: error })
  }
}

async function follow(address: string, network: PageNetwork, signal: AbortSignal): Promise<FetchedPage> {
  let at = address
  for (let hop = 0; hop <= maxHops; hop++) {
    const verdict = judgeUrl(at, network.ownHosts)
    if (!verdict.ok) throw new ToolFailure(hop === 0 ? verdict.reason : `The page leads elsewhere. ${verdict.reason}`)
    const { url } = verdict
    url.hash = ''
    await checkAddresses(url.hostname, network, signal)
    const response = await network.fetch(url.href, { redirect: 'manual', headers, signal })
    if (!redirectStatuses.has(response.status)) return checked(response, url.href)
    await response.body?.cancel()
    const location = response.headers.get('location')
    if (location === null) throw new ToolFailure('The page leads elsewhere but does not say where.')
    at = URL.canParse(location, url.href) ? new URL(location, url.href).href : location
  }
  throw new ToolFailure('The page leads from one address to the next without end.')
}

const headers = {
  accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1',
  'user-agent': 'ParleyReader/1.0',
}

/** Literal addresses have been judged with the URL; a name is as private as the most private address behind it. */
async function checkAddresses(hostname: string, { resolve }: PageNetwork, signal: AbortSignal): Promise<void> {
  if (hostname.startsWith('[') || isPublicAddress(hostname)) return
  const addresses = await resolve(hostname.replace(/\.+$/, ''), signal)
  if (addresses.length === 0) throw new ToolFailure('There is no such site.')
  if (!addresses.every(isPublicAddress)) throw new ToolFailure('This address is not on the public internet.')
}

function checked(response: Response, url: string): FetchedPage {
  if (!response.ok) {
    void response.body?.cancel()
    throw new ToolFailure(`The page answered with an error (${response.status}).`)
  }
  const mediaType = (response.headers.get('content-type') ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? ''
  if (!readableTypes.test(mediaType)) {
    void response.body?.cancel()
    throw new ToolFailure(
      `This address holds no readable page${/^[\w.+-]{1,30}\/[\w.+-]{1,60}$/.test(mediaType) ? ` (${mediaType})` : ''}.`,
    )
  }
  return {
    url,
    mediaType,
    body: new Response(response.body?.pipeThrough(firstBytes(maxPageBytes)) ?? null, { headers: charsetOf(response) }),
  }
}

const charsetOf = (response: Response): HeadersInit => ({ 'content-type': response.headers.get('content-type') ?? 'text/plain' })
