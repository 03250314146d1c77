/**
 * Fetches one public page. Every hop is judged before it is asked, by its name and by the addresses behind it; nothing of ours travels
 * along: no cookies, no authorisation, no referrer. Limits on hops, bytes and time hold for the whole way.
 */
import { maxPageBytes, pageTimeoutMs } from '../../contract/limits.ts'
import { firstBytes } from '../../lib/bounded-body.ts'
import { isPublicAddress } from './public-address.ts'
import { judgeUrl } from './public-url.ts'
import type { ResolveHost } from './resolve-host.ts'
import { PageFailure, ToolFailure } from './tool-failure.ts'

export type PageNetwork = {
  readonly fetch: typeof fetch
  readonly resolve: ResolveHost
  /** By which this product is reached: the host of PUBLIC_URL, and those that requests came by. */
  readonly ownHosts: readonly string[]
  readonly timeoutMs?: number
}

export type FetchedPage = {
  readonly url: string
  readonly mediaType: string
  readonly body: Response
  /** Whether the page went on behind the body, which has been read to its end. */
  readonly wasCut: () => boolean
}

const maxHops = 5
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const readableTypes = /^(?:text\/(?:html|plain|markdown|csv|xml)|application\/(?:xhtml\+xml|json|xml|(?:rss|atom|ld)\+(?:xml|json)))$/

/**
 * Calls `use` with the page while the clock still runs, so that a body that never ends is cut off too. What fails once a site has been
 * asked is a `PageFailure`.
 */
export async function withPage<T>(
  address: string,
  network: PageNetwork,
  signal: AbortSignal,
  use: (page: FetchedPage) => Promise<T>,
): Promise<T> {
  const clock = AbortSignal.timeout(network.timeoutMs ?? pageTimeoutMs)
  const limits = AbortSignal.any([signal, clock])
  const tooLate = new Promise<never>((_resolve, reject) => limits.addEventListener('abort', () => reject(limits.reason), { once: true }))
  let isAsked = false
  const ask: typeof fetch = (input, init) => {
    isAsked = true
    return network.fetch(input, init)
  }
  try {
    return await Promise.race([follow(address, { ...network, fetch: ask }, limits).then(use), tooLate])
  } catch (error) {
    if (signal.aborted) throw error
    const sentence = sentenceFor(error, clock)
    throw isAsked ? new PageFailure(sentence, { cause: error }) : new ToolFailure(sentence, { cause: error })
  }
}

function sentenceFor(error: unknown, clock: AbortSignal): string {
  if (error instanceof ToolFailure) return error.message
  return clock.aborted ? 'The page took too long to answer.' : 'The page could not be reached.'
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
  const addresses = await resolve(hostname.replace(/\.+$/, ''), signal).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new ToolFailure('The name of this site could not be looked up.', { cause: error })
  })
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
    throw new ToolFailure(`This address holds ${kindOf(mediaType)}.`)
  }
  let isCut = false
  const beginning = firstBytes(maxPageBytes, () => {
    isCut = true
  })
  return {
    url,
    mediaType,
    body: new Response(response.body?.pipeThrough(beginning) ?? null, { headers: charsetOf(response) }),
    wasCut: () => isCut,
  }
}

/** In our words: what a site says of its kind is its own to choose. */
function kindOf(mediaType: string): string {
  if (mediaType === 'application/pdf') return 'a PDF, no readable page'
  if (mediaType.startsWith('image/')) return 'an image, no readable page'
  if (mediaType.startsWith('video/')) return 'a video, no readable page'
  return 'no readable page'
}

const charsetOf = (response: Response): HeadersInit => ({ 'content-type': response.headers.get('content-type') ?? 'text/plain' })
