/** What happens to every request before and after its route, in the order in which `app.ts` lists it. */
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { SessionUnavailableError } from '../auth/session-error.ts'
import type { ErrorBody } from '../contract/http.ts'
import { classifyD1Error } from '../db/errors.ts'
import { type Problem, readSettings } from '../env.ts'
import { logger, loggingFor } from '../lib/logger.ts'
import { failedPage, misconfiguredPage } from '../page/error-page.ts'
import { type ConnectTargets, contentSecurityPolicy, securityHeaders } from '../page/security.ts'
import { type AppContext, type AppEnv, refuseWith } from './http.ts'

export const isApi = (path: string) => path === '/_serverFn' || ['/api/', '/sync/', '/_serverFn/'].some((prefix) => path.startsWith(prefix))

export const identify: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set('requestId', crypto.randomUUID())
  c.set('nonce', crypto.randomUUID())
  const begunMs = Date.now()
  await loggingFor(c.var.requestId, next)
  const result = readSettings(c.env)
  // A person who develops sees their requests in the browser.
  if ((result.ok ? result.settings : result).environment === 'development') return
  const { method, path } = c.req
  // Without the query, which may let somebody in, and without who asked.
  logger.info('request', { requestId: c.var.requestId, method, path, status: c.res.status, ms: Date.now() - begunMs })
}

/** The addresses that the page was built with. Vite replaces the right side with an object; where no Vite was, there is none. */
const built = (import.meta as { readonly env?: { readonly [name: string]: string | undefined } }).env
const targets: ConnectTargets = { apiUrl: built?.VITE_PUBLIC_API_URL, syncUrl: built?.VITE_PUBLIC_SYNC_URL }

export const secure: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  // An accepted socket has no headers left to set, and copying its response would lose the socket.
  if (c.res.status === 101) return
  // Copies the response, because that of an object cannot be changed. Once is enough.
  c.header('x-request-id', c.var.requestId)
  const { headers } = c.res
  for (const [name, value] of securityHeaders(c.req.url)) headers.set(name, value)
  if (!headers.get('content-type')?.startsWith('text/html')) return
  const result = readSettings(c.env)
  const turnstileUrl = result.ok ? (result.settings.turnstile?.url ?? null) : null
  headers.set('content-security-policy', contentSecurityPolicy(c.req.url, c.var.nonce, targets, turnstileUrl))
}

/** Said once per isolate: every request would say the same. */
let isReported = false

/** Nothing is served half configured, except the answer to what is missing. */
export const demandSettings: MiddlewareHandler<AppEnv> = async (c, next) => {
  const result = readSettings(c.env)
  if (!result.ok) {
    if (!isReported) logger.error('misconfigured', sentenceOf(result.problems))
    isReported = true
    if (!isApi(c.req.path)) return misconfiguredPage(result.problems)
    const body: ErrorBody = { error: { code: 'not_configured', message: sentenceOf(result.problems) } }
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

/** A surprise: logged in full, answered in a sentence. A database that is only busy is worth another try, and says so. */
export function answerError(error: Error, c: AppContext): Response {
  logger.error('request_failed', error, { method: c.req.method, path: c.req.path })
  if (!isApi(c.req.path)) return failedPage(c.var.requestId)
  const failure = classifyD1Error(error)
  if (failure.kind === 'guard' && failure.code === 'row_too_large') return refuseWith(c, 'row_too_large')
  if (failure.kind === 'guard' && failure.code === 'account_gone') return refuseWith(c, 'session_required')
  if (failure.kind !== 'transient' && !(error instanceof SessionUnavailableError)) return refuseWith(c, 'internal')
  c.header('retry-after', '1')
  return refuseWith(c, 'internal', 503)
}

/** No answer of the API is ever kept by a browser or on the way, unless its route says so. */
export const neverKept: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  if (c.res.status !== 101 && !c.res.headers.has('cache-control')) c.header('cache-control', 'no-store')
}

/** Names, addresses and codes: nothing a person says to better-auth is long, and what it stores has no limits of its own. */
export const smallBody: MiddlewareHandler<AppEnv> = bodyLimit({ maxSize: 32 * 1024, onError: (c) => refuseWith(c, 'row_too_large') })

/** A subscription with everything it mentions; Stripe's own events stay far below. */
export const eventBody: MiddlewareHandler<AppEnv> = bodyLimit({ maxSize: 1024 * 1024, onError: (c) => refuseWith(c, 'row_too_large') })
