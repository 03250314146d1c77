/**
 * The session of the browser at the server. A visitor without one becomes a guest exactly once, for any number of components, StrictMode
 * renders or tabs that ask at the same time. Returns the user id and the token that the sync client needs.
 */

import type { RefusalCode } from '../../worker/contract/errors.ts'
import { isRecord } from '../../worker/contract/is-record.ts'
import { identityRetryMaxMs, identityRetryStepMs } from '../../worker/contract/limits.ts'
import { loadedLanguage } from './i18n/language.ts'
import { libText } from './texts/en.ts'

export type Identity = { readonly userId: string; readonly token: string }

type SessionDeps = {
  readonly fetch: typeof fetch
  readonly apiUrl: string
  /** The server recognised a session when it wrote the page, so one round trip is enough. */
  readonly isRecognised: boolean
  /** False after logout: a guest then starts only on request. */
  readonly mayStartGuest: () => boolean
  /** Called when no session existed and a new guest starts. */
  readonly onNewGuest: () => void
  /** A token for the Turnstile challenge that the server requires; null when the user cancels. */
  readonly solveCaptcha: () => Promise<string | null>
  /** Runs `work` under a lock shared by all tabs of this browser. */
  readonly exclusively: <T>(work: () => Promise<T>) => Promise<T>
}

export class SessionError extends Error {
  override readonly name = 'SessionError'
}

/** The server requires a solved Turnstile challenge, or did not accept the token of one. */
class CaptchaError extends SessionError {}

/** Chosen: a token may expire or be lost, but a widget whose tokens never work must not loop. */
const maxCaptchas = 3

/** There is no session, and this tab may not start a guest. */
export class LoggedOutError extends Error {
  override readonly name = 'LoggedOutError'
}

/** Finds the session, or starts one as a guest, and returns its identity. */
export async function identify(deps: SessionDeps): Promise<Identity> {
  const known = deps.isRecognised ? await fetchIdentity(deps) : null
  if (known) return known
  let captchaToken: string | null = null
  for (let captchas = 0; ; captchas++) {
    try {
      return await findOrStart(deps, captchaToken)
    } catch (error) {
      if (!(error instanceof CaptchaError) || captchas === maxCaptchas) throw error
      // Outside the lock: another tab may solve its challenge first, and then this one finds the session.
      captchaToken = await deps.solveCaptcha()
      if (captchaToken === null) throw error
    }
  }
}

async function findOrStart(deps: SessionDeps, captchaToken: string | null): Promise<Identity> {
  const identity = await deps.exclusively(async () => {
    if (!(await hasSession(deps))) {
      if (!deps.mayStartGuest()) throw new LoggedOutError('No user is logged in.')
      await call(deps, 'sign-in/anonymous', {}, captchaToken)
      deps.onNewGuest()
    }
    return fetchIdentity(deps)
  })
  if (!identity) throw new SessionError(libText('noCookies'))
  return identity
}

/** Linear: 0 before the first attempt, then 1, 2, 3 … 30 seconds. */
export const retryDelayMs = (failedAttempts: number): number => Math.min(identityRetryMaxMs, identityRetryStepMs * failedAttempts)

type CallDeps = Pick<SessionDeps, 'fetch' | 'apiUrl'>

/** Null if the session has ended. */
export async function fetchIdentity(deps: CallDeps): Promise<Identity | null> {
  const body = await call(deps, 'token')
  if (body === null) return null
  if (!isRecord(body) || typeof body.token !== 'string') throw new SessionError(libText('badSession'))
  return { userId: claimsOf(body.token).sub, token: body.token }
}

async function hasSession(deps: CallDeps): Promise<boolean> {
  const body = await call(deps, 'get-session')
  return isRecord(body) && isRecord(body.session)
}

/** Ends the session on the server. */
export async function endSession(deps: CallDeps): Promise<void> {
  await call(deps, 'sign-out', {})
}

/** POST with a body, otherwise GET. 401 is a result, not a failure: there is no session. */
async function call({ fetch, apiUrl }: CallDeps, path: string, body?: object, captchaToken: string | null = null): Promise<unknown> {
  const response = await fetch(`${apiUrl}/api/auth/${path}`, authRequest(body, captchaToken)).catch((cause: unknown) => {
    throw new SessionError(libText('unreachable'), { cause })
  })
  if (response.status === 401) return null
  if (!response.ok) {
    const detail = (await response.text()).slice(0, 500)
    await throwCaptchaError(detail)
    throw new SessionError(libText('refusedStatus', { path, status: response.status }), { cause: detail })
  }
  return response.json()
}

/** A request of the auth API: POST with a body, otherwise GET. better-auth's captcha plugin reads the token. Mails are in the accepted language. */
export const authRequest = (body?: object, captchaToken: string | null = null): RequestInit => ({
  method: body ? 'POST' : 'GET',
  credentials: 'include',
  headers: {
    accept: 'application/json',
    'accept-language': loadedLanguage.get().language,
    ...(body && { 'content-type': 'application/json' }),
    ...(captchaToken !== null && { 'x-captcha-response': captchaToken }),
  },
  ...(body && { body: JSON.stringify(body) }),
})

const captchaCodes = ['captcha_required', 'captcha_failed', 'captcha_unavailable'] as const satisfies readonly RefusalCode[]

/** Refusals of the Turnstile check have a sentence for the user. */
async function throwCaptchaError(detail: string): Promise<void> {
  const code = captchaCodes.find((known) => detail.includes(known))
  if (!code) return
  const { refusalSentence } = await import('./refusals/sentence.ts')
  const sentence = refusalSentence({ code })
  throw code === 'captcha_unavailable' ? new SessionError(sentence, { cause: detail }) : new CaptchaError(sentence, { cause: detail })
}

type Claims = { readonly sub: string; readonly expiresAtMs: number; readonly issuedAtMs: number | null }

/** The client does not verify the token; it reads only its subject and times. */
export function claimsOf(token: string): Claims {
  try {
    const payload = token.split('.')[1] ?? ''
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (isRecord(claims) && typeof claims.sub === 'string' && typeof claims.exp === 'number') {
      return { sub: claims.sub, expiresAtMs: claims.exp * 1000, issuedAtMs: typeof claims.iat === 'number' ? claims.iat * 1000 : null }
    }
  } catch (cause) {
    throw new SessionError(libText('badSession'), { cause })
  }
  throw new SessionError(libText('badSession'))
}
