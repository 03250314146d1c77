/** Who is asking over HTTP: the session behind a request's cookie. */
import { parseSigned } from 'hono/utils/cookie'
import type { SessionFacts } from '../contract/first-page.ts'
import { readSession, type StoredSession } from '../db/sessions.ts'
import { directoryDb } from '../db/shards.ts'
import type { Env, Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { type Auth, createAuth } from './auth.ts'
import { SessionUnavailableError } from './session-error.ts'

/** In development every host name a person uses is an origin of its own; more than a few are not people. */
const maxOrigins = 8
const instances = new WeakMap<Env, Map<string, Auth>>()

/** Building an instance costs milliseconds, so it is kept, but only once it is ready: a request must never wait for a promise of another one. */
export async function authFor(env: Env, settings: Settings, requestUrl: string): Promise<Auth> {
  const origin = settings.publicUrl ?? new URL(requestUrl).origin
  const byOrigin = instances.get(env) ?? new Map<string, Auth>()
  instances.set(env, byOrigin)
  const known = byOrigin.get(origin)
  if (known) return known
  const auth = createAuth(env, settings, origin)
  await auth.$context
  if (byOrigin.size >= maxOrigins) byOrigin.clear()
  byOrigin.set(origin, auth)
  return auth
}

/**
 * Who asks, by better-auth's cookie and its row in D1. Without better-auth, whose way to the same answer costs three times the CPU, on which
 * the first word of every answer waits; so the session's expiry is moved by GET /api/auth/get-session, whose answer can carry the new cookie.
 */
export async function viewerOf(request: Request, env: Env, settings: Settings): Promise<StoredSession | null> {
  const cookies = request.headers.get('cookie')
  if (cookies === null) return null
  const { authCookies, secret } = await (await authFor(env, settings, request.url)).$context
  const { name } = authCookies.sessionToken
  const token = (await parseSigned(cookies, secret, name))[name]
  if (!token) return null
  const session = await readSession(directoryDb(env), token).catch((cause: unknown) => {
    throw new SessionUnavailableError('the session could not be read', { cause })
  })
  return session && session.expiresAtMs > Date.now() ? session : null
}

/**
 * The headers of a login, without the cookie of a session that has ended: for such a cookie better-auth's anonymous plugin clears the cookie that
 * the login has just set.
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

/** A session as a page is served with it. */
export type PageSession = {
  readonly facts: SessionFacts
  readonly email: string
  /** Of a session whose expiry has moved; the answer must carry them. */
  readonly cookies: readonly string[]
}

/** Also moves the session's expiry when that is due: a page that brings its token along may never ask for anything else. */
export async function openPageSession(request: Request, auth: Auth): Promise<PageSession | null> {
  if (!request.headers.has('cookie')) return null
  const { headers, response } = await auth.api.getSession({ headers: request.headers, returnHeaders: true }).catch((cause: unknown) => {
    throw new SessionUnavailableError('the session could not be read', { cause })
  })
  if (!response) return null
  const { id, userId, expiresAt, createdAt, updatedAt, ipAddress = null, userAgent = null, activeOrganizationId = null } = response.session
  const [expiresAtMs, createdAtMs, updatedAtMs] = [expiresAt, createdAt, updatedAt].map((date) => new Date(date).getTime())
  if (expiresAtMs === undefined || createdAtMs === undefined || updatedAtMs === undefined) return null
  return {
    facts: {
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

/** The token that GET /api/auth/token would give this session; null when it cannot be made now, and the page asks for it itself. */
export async function syncTokenFor({ id, userId }: SessionFacts, auth: Auth): Promise<string | null> {
  try {
    const iat = Math.floor(Date.now() / 1000)
    const { token } = await auth.api.signJWT({ body: { payload: { sub: userId, sid: id, iat } } })
    return token
  } catch (error) {
    logger.error('page token not made', error)
    return null
  }
}
