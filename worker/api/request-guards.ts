/** Rejects requests that a browser was made to send by another site, by an answer's content, or through a rebound host name. */
import type { MiddlewareHandler } from 'hono'
import { isOwnOrigin } from '../lib/own-origin.ts'
import { plainPage } from '../page/plain-page.ts'
import { readSettings } from '../settings.ts'
import { type AppContext, type AppEnv, refuseWith } from './http.ts'
import { isApi } from './middleware.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Server-to-server calls that prove their sender with a signature. */
const signedPaths = new Set(['/api/webhook/stripe'])

/** Rejects state-changing requests whose `Origin` is foreign. Requests without `Origin` come from programs and pass. */
export const requireOwnOrigin: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (safeMethods.has(c.req.method) || signedPaths.has(c.req.path)) return next()
  const { publicUrl } = settingsOf(c)
  if (isOwnOrigin(c.req.header('origin') ?? null, new URL(c.req.url), publicUrl)) return next()
  return refuseWith(c, 'not_authorized', 403, { detail: 'This request must come from a page of this site.' })
}

/**
 * For GET routes with side effects or a cost, because a model's answer can contain their URL. Allows only the listed values of
 * `Sec-Fetch-Dest` (`document`: navigation, `empty`: fetch) and no prefetch. Requests without the header pass.
 */
export const requireDestination =
  (...allowed: readonly ('document' | 'empty')[]): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const destination = c.req.header('sec-fetch-dest')
    const isPrefetch = c.req.header('sec-purpose')?.includes('prefetch') ?? false
    if (!isPrefetch && (destination === undefined || allowed.some((name) => name === destination))) return next()
    return refuseWith(c, 'not_authorized', 403, { detail: 'This URL cannot be embedded or prefetched.' })
  }

/** For GET routes that no other site may start, not even by a link: they use up a limit of the user. */
export const refuseCrossSite: MiddlewareHandler<AppEnv> = async (c, next) =>
  c.req.header('sec-fetch-site') === 'cross-site'
    ? refuseWith(c, 'not_authorized', 403, { detail: 'Open this page from the account settings.' })
    : next()

/**
 * For GET routes with side effects. Hono answers HEAD with the GET handler and drops the response's body without cancelling it, so a HEAD of
 * a stream would keep a reader.
 */
export const refuseHead: MiddlewareHandler<AppEnv> = async (c, next) => (c.req.method === 'HEAD' ? refuseWith(c, 'not_found') : next())

/**
 * A development server has no `PUBLIC_URL` and takes its origin from the request, so a foreign name that resolves to this machine
 * (DNS rebinding) would count as our own origin. Only names of this machine are accepted.
 */
export const requireLocalHost: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { environment, publicUrl } = settingsOf(c)
  if (environment !== 'development' || publicUrl !== null || isLocalName(new URL(c.req.url).hostname)) return next()
  const message = 'In development only localhost is accepted as a host name. Set PUBLIC_URL to use another one.'
  if (isApi(c.req.path)) return refuseWith(c, 'not_authorized', 403, { detail: message })
  return plainPage(403, 'Host name not accepted', `<p>${message}</p>`)
}

const isLocalName = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

function settingsOf(c: AppContext) {
  const result = readSettings(c.env)
  return result.ok ? result.settings : result.partial
}
