/**
 * The ways to sign in. A mail carries a link and a code; whichever is used first, this browser must know meanwhile who was written to and
 * where the person was going, so both stay in this tab until then.
 */
import { ownPath } from '../../worker/contract/own-path.ts'
import { type AuthAnswer, authCall } from './auth-call.ts'
import { announceSignIn } from './browser-session.ts'
import type { Company } from './companies.ts'

export async function requestMail(email: string, callbackUrl: string): Promise<AuthAnswer<unknown>> {
  const answer = await authCall('sign-in/magic-link', {
    email,
    callbackURL: callbackUrl,
    // A link that no longer works leads back here, where the next one can be asked for; the server adds `error`.
    errorCallbackURL: loginPath(callbackUrl),
  })
  if (answer.ok) sessionStorage.setItem(pendingKey, JSON.stringify({ email, callbackUrl }))
  return answer
}

/** Leaves the page when it works: everything shown from here on is the account's. */
export async function signInByCode({ email, callbackUrl }: PendingSignIn, code: string): Promise<AuthAnswer<unknown>> {
  const answer = await authCall<{ user: { id: string } }>('sign-in/email-otp', { email, otp: code })
  if (!answer.ok) return answer
  forgetPending()
  announceSignIn(answer.body.user.id)
  location.assign(callbackUrl)
  return answer
}

/** Leaves for the company, which sends the person back. */
export async function signInWith(provider: Company, callbackUrl: string): Promise<AuthAnswer<unknown>> {
  const answer = await authCall<{ url: string }>('sign-in/social', {
    provider,
    callbackURL: callbackUrl,
    errorCallbackURL: loginPath(callbackUrl),
    disableRedirect: true,
  })
  if (answer.ok) location.assign(answer.body.url)
  return answer
}

const loginPath = (callbackUrl: string): string => `/login?callbackUrl=${encodeURIComponent(callbackUrl)}`

export type PendingSignIn = { readonly email: string; readonly callbackUrl: string }

const pendingKey = 'parley:signing-in'

/** Whom this tab has asked mail for. */
export function pendingSignIn(): PendingSignIn | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(pendingKey) ?? 'null') as { email?: unknown; callbackUrl?: unknown } | null
    return typeof kept?.email === 'string' ? { email: kept.email, callbackUrl: ownPath(kept.callbackUrl, location.origin, '/') } : null
  } catch {
    // Not ours, or garbled: the page then speaks of "the mail" and offers to begin again.
    return null
  }
}

export const forgetPending = (): void => sessionStorage.removeItem(pendingKey)
