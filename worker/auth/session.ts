/** Who is asking over HTTP: the session behind a request's cookie. */
import type { Env, Settings } from '../env.ts'
import { type Auth, createAuth } from './auth.ts'
import { SessionUnavailableError } from './session-error.ts'

/** The person behind a session. `expiresAtMs` is the session's, not a token's. */
export type SessionViewer = {
  readonly userId: string
  readonly sessionId: string
  readonly isAnonymous: boolean
  readonly expiresAtMs: number
}

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

/** Reads only: the session's expiry is moved by GET /api/auth/get-session, whose answer can carry the new cookie. */
export async function viewerOf(request: Request, auth: Auth): Promise<SessionViewer | null> {
  if (!request.headers.has('cookie')) return null
  const found = await auth.api.getSession({ headers: request.headers, query: { disableRefresh: true } }).catch((cause: unknown) => {
    // better-auth hides which query failed and why; no answer of its own is an error here.
    throw new SessionUnavailableError('the session could not be read', { cause })
  })
  if (!found) return null
  const { session, user } = found
  return { userId: user.id, sessionId: session.id, isAnonymous: user.isAnonymous === true, expiresAtMs: session.expiresAt.getTime() }
}
