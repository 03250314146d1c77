/** Middleware for every request, in the order of `app.ts`. */
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { SessionUnavailableError } from '../auth/session.ts'
import type { ErrorBody } from '../contract/http.ts'
import { classifyD1Error } from '../db/errors.ts'
import { checkedBody, EndlessBodyError, failAbove } from '../lib/bounded-body.ts'
import { logger, loggingFor } from '../lib/logger.ts'
import { isOwnOrigin } from '../lib/own-origin.ts'
import { failedPage, misconfiguredPage, plainPage } from '../page/plain-page.ts'
import { type ConnectTargets, contentSecurityPolicy, securityHeaders } from '../page/security.ts'
import { type Problem, readSettings, type Settings } from '../settings.ts'
import { record } from '../telemetry/record.ts'
import { BrokenBodyError, brokenBody } from './checked-body.ts'
import { type AppContext, type AppEnv, refuseWith } from './http.ts'

const isApi = (path: string) => path === '/_serverFn' || ['/api/', '/sync/', '/_serverFn/'].some((prefix) => path.startsWith(prefix))

/** Without the id of a shared link, which opens its page. Also in misspelled addresses, which show the id as well. */
const loggedPath = (path: string) => path.replace(/((?:shares?|continue)(?:\/|%2f)+)[^/]+/gi, '$1…')

export const identify: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set('requestId', crypto.randomUUID())
  c.set('nonce', crypto.randomUUID())
  const begunMs = Date.now()
  await loggingFor(c.var.requestId, next)
  const result = readSettings(c.env)
  if (result.ok) recordRequest(c, result.settings, begunMs)
  // Developers see requests in the browser, so development has no request log.
  if ((result.ok ? result.settings : result).environment === 'development') return
  const { method } = c.req
  // Without the query, which can contain credentials, and without the user.
  const path = loggedPath(c.req.path)
  logger.info('request', { requestId: c.var.requestId, method, path, status: c.res.status, ms: Date.now() - begunMs })
}

/** The patterns of middleware and of routes that respond with 404. None of them is the route of a request. */
const sharedPatterns: ReadonlySet<string> = new Set(['*', '/*', '/api/*', '/sync/*', '/_serverFn/*'])

/** By its route, because an address can contain a login link or the id of a shared page. */
function recordRequest(c: AppContext, settings: Settings, begunMs: number): void {
  if (settings.otlp === null) return
  const { method } = c.req
  const route = matchedRoutes(c).find(({ path }) => !sharedPatterns.has(path))?.path ?? '*'
  const { status } = c.res
  record(settings, (work) => c.executionCtx.waitUntil(work), {
    ...{ kind: 'http.server.request', name: `${method} ${route}`, begunMs, endedMs: Date.now() },
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    ...(status >= 500 && { error: String(status) }),
  })
}

/** Addresses from the build. Vite replaces the expression with an object; without Vite it is undefined. */
const built = (import.meta as { readonly env?: { readonly [name: string]: string | undefined } }).env
const targets: ConnectTargets = { apiUrl: built?.VITE_PUBLIC_API_URL, syncUrl: built?.VITE_PUBLIC_SYNC_URL }

export const secure: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  // An accepted WebSocket has no headers left to set, and copying its response would lose the socket.
  if (c.res.status === 101) return
  // Copies the response, because the response of a Durable Object is immutable. One copy is sufficient.
  c.header('x-request-id', c.var.requestId)
  const { headers } = c.res
  for (const [name, value] of securityHeaders(c.req.url)) headers.set(name, value)
  // The response of a shared page has a stricter policy.
  if (!headers.get('content-type')?.startsWith('text/html') || headers.has('content-security-policy')) return
  const result = readSettings(c.env)
  const turnstileUrl = result.ok ? (result.settings.turnstile?.url ?? null) : null
  headers.set('content-security-policy', contentSecurityPolicy(c.req.url, c.var.nonce, targets, turnstileUrl))
}

/** Logged once per isolate, because every request would log the same. */
let isReported = false

/** With missing settings, every path reports them and serves nothing else. */
export const requireSettings: MiddlewareHandler<AppEnv> = async (c, next) => {
  const result = readSettings(c.env)
  if (!result.ok) {
    if (!isReported) logger.error('misconfigured', sentenceOf(result.problems))
    isReported = true
    if (!isApi(c.req.path)) return misconfiguredPage(c.req.raw, result.problems)
    const body: ErrorBody = { error: { code: 'not_configured', detail: sentenceOf(result.problems) } }
    return c.json(body, 500)
  }
  c.set('settings', result.settings)
  return next()
}

/** Problems with a prefix come first, because the prefix begins the refusal. */
function sentenceOf(problems: readonly Problem[]): string {
  const prefixed = problems.filter(({ prefix }) => prefix !== undefined).map(({ name, reason, prefix }) => `${prefix}${name} ${reason}.`)
  const others = problems.filter(({ prefix }) => prefix === undefined).map(({ name, reason }) => `${name} ${reason}`)
  return [...prefixed, ...(others.length > 0 ? [`This server is not set up: ${others.join(', ')}.`] : [])].join(' ')
}

/** Logs an unexpected error and responds with a sentence. A transient database error gets status 503 and Retry-After. */
export function answerError(error: Error, c: AppContext): Response {
  const request = { method: c.req.method, path: loggedPath(c.req.path) }
  if (error instanceof BrokenBodyError) {
    logger.warn('body_broke_off', request)
    return refuseWith(c, 'invalid_request')
  }
  logger.error('request_failed', error, request)
  if (!isApi(c.req.path)) return failedPage(c.req.raw, c.var.requestId)
  const failure = classifyD1Error(error)
  if (failure.kind === 'guard' && failure.code === 'row_too_large') return refuseWith(c, 'row_too_large')
  if (failure.kind === 'guard' && failure.code === 'account_deleted') return refuseWith(c, 'session_required')
  if (failure.kind !== 'transient' && !(error instanceof SessionUnavailableError)) return refuseWith(c, 'internal')
  c.header('retry-after', '1')
  return refuseWith(c, 'internal', 503)
}

/** API responses are not cached unless their route allows it. */
export const noStore: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  if (c.res.status !== 101 && !c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
}

/** Reads the whole body before the route, so that a broken body is not logged as a failure of the route. The body of a GET is dropped. */
const wholeBody =
  (maxBytes: number): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const { body, method, headers, url } = c.req.raw
    if (!body) return next()
    if (Number(c.req.header('content-length')) > maxBytes) return refuseWith(c, 'row_too_large')
    try {
      const bytes = await new Response(checkedBody(body, failAbove(maxBytes))).arrayBuffer()
      c.req.raw = new Request(url, { method, headers, ...(method !== 'GET' && method !== 'HEAD' && { body: bytes }) })
    } catch (error) {
      return error instanceof EndlessBodyError ? refuseWith(c, 'row_too_large') : brokenBody(error)
    }
    return next()
  }

/** Requests to better-auth contain only short values, and better-auth does not limit the length of what it stores. */
export const smallBody = wholeBody(32 * 1024)

/** Chosen: several times the size of a Stripe event with its subscription. */
export const eventBody = wholeBody(1024 * 1024)

/** Rejects requests that a browser was made to send by another site, by an answer's content, or through a rebound host name. */
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
