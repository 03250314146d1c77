/** The session of an HTTP request, by its cookie. */
import type { Env } from '../bindings.ts'
import type { SessionDetails } from '../contract/first-page.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import { type Auth, createAuth } from './auth.ts'

/** Chosen: in development each host name is a separate origin, and developers use few of them. */
const maxOrigins = 8
const instances = new WeakMap<Env, Map<string, Auth>>()

/**
 * Cached, because creating an instance takes milliseconds. Cached only once it is ready: a request must not await a promise of another
 * request.
 */
export async function authFor(env: Env, settings: Settings, requestUrl: string): Promise<Auth> {
  const origin = settings.publicUrl ?? new URL(requestUrl).origin
  const byOrigin = instances.get(env) ?? new Map<string, Auth>()
  instances.set(env, byOrigin)
  const cached = byOrigin.get(origin)
  if (cached) return cached
  const auth = createAuth(env, settings, origin)
  await auth.$context
  if (byOrigin.size >= maxOrigins) byOrigin.clear()
  byOrigin.set(origin, auth)
  return auth
}

export type SessionViewer = {
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly expiresAtMs: number
}

/** Does not extend the expiry, because these responses carry no cookie. GET /api/auth/get-session and the page do. */
export async function viewerOf(request: Request, env: Env, settings: Settings): Promise<SessionViewer | null> {
  if (!request.headers.has('cookie')) return null
  const auth = await authFor(env, settings, request.url)
  const found = await auth.api.getSession({ headers: request.headers, query: { disableRefresh: true } }).catch(throwUnavailable)
  if (!found) return null
  const { session, user } = found
  return { userId: user.id, sessionId: session.id, isAnonymous: user.isAnonymous === true, expiresAtMs: session.expiresAt.getTime() }
}

function throwUnavailable(cause: unknown): never {
  throw new SessionUnavailableError('the session could not be read', { cause })
}

/**
 * The headers of a login without the cookie of an ended session. With such a cookie, better-auth's anonymous plugin would clear the cookie
 * that the login has just set.
 */
export async function loginHeaders(request: Request, env: Env, settings: Settings): Promise<Headers> {
  const cookies = request.headers.get('cookie')
  if (cookies === null || (await viewerOf(request, env, settings)) !== null) return request.headers
  const { authCookies } = await (await authFor(env, settings, request.url)).$context
  const others = cookies.split(/; */).filter((cookie) => !cookie.startsWith(`${authCookies.sessionToken.name}=`))
  const headers = new Headers(request.headers)
  headers.set('cookie', others.join('; '))
  return headers
}

/** The session of a served page. */
export type PageSession = {
  readonly details: SessionDetails
  readonly email: string
  /** Cookies of an extended session, which the response must send. */
  readonly cookies: readonly string[]
}

/** Also extends the session's expiry when due, because a page with an inlined token may send no other session request. */
export async function openPageSession(request: Request, auth: Auth): Promise<PageSession | null> {
  if (!request.headers.has('cookie')) return null
  const { headers, response } = await auth.api.getSession({ headers: request.headers, returnHeaders: true }).catch(throwUnavailable)
  if (!response) return null
  const { id, userId, expiresAt, createdAt, updatedAt, ipAddress = null, userAgent = null, activeOrganizationId = null } = response.session
  const [expiresAtMs, createdAtMs, updatedAtMs] = [expiresAt, createdAt, updatedAt].map((date) => new Date(date).getTime())
  if (expiresAtMs === undefined || createdAtMs === undefined || updatedAtMs === undefined) return null
  return {
    details: {
      id,
      userId,
      expiresAt: expiresAtMs,
      createdAt: createdAtMs,
      updatedAt: updatedAtMs,
      ipAddress,
      userAgent,
      activeOrganizationId,
    },
    email: response.user.email,
    cookies: headers.getSetCookie(),
  }
}

/** The same token as GET /api/auth/token. Null if it cannot be created; the page then requests it. */
export async function syncTokenFor({ id, userId }: SessionDetails, auth: Auth): Promise<string | null> {
  try {
    const iat = Math.floor(Date.now() / 1000)
    const { token } = await auth.api.signJWT({ body: { payload: { sub: userId, sid: id, iat } } })
    return token
  } catch (error) {
    logger.error('page_token_not_made', error)
    return null
  }
}

/** The session could not be read. The user may be signed in, so the client should retry. */
export class SessionUnavailableError extends Error {
  override name = 'SessionUnavailableError'
}
