/** The login methods. A mail contains a link and a code; until either is used, this tab stores the address and the page to return to. */
import { ownPath } from '../../worker/contract/own-path.ts'
import { type AuthResult, authCall } from './auth-call.ts'
import { announceSignIn } from './browser-session.ts'
import { readFromTab, storeInTab } from './browser-storage.ts'

export async function requestMail(email: string, callbackUrl: string): Promise<AuthResult<unknown>> {
  const result = await authCall('sign-in/magic-link', {
    email,
    callbackURL: callbackUrl,
    // An expired link leads back to the login page to request a new one; the server adds `error`.
    errorCallbackURL: loginPath(callbackUrl),
  })
  if (result.ok) storeInTab(pendingKey, { email, callbackUrl })
  return result
}

/** Digits of the code in a mail; the default of Better Auth. */
export const codeChars = 6

/** Leaves the page on success: everything shown afterwards belongs to the account. */
export async function signInByCode({ email, callbackUrl }: PendingSignIn, code: string): Promise<AuthResult<unknown>> {
  const result = await authCall<{ user: { id: string } }>('sign-in/email-otp', { email, otp: code })
  if (!result.ok) return result
  storeInTab(pendingKey, null)
  announceSignIn(result.body.user.id)
  location.assign(callbackUrl)
  return result
}

/** Redirects to the provider, which redirects back. */
export async function signInWith(provider: LoginProvider, callbackUrl: string): Promise<AuthResult<unknown>> {
  const result = await authCall<{ url: string }>('sign-in/social', {
    provider,
    callbackURL: callbackUrl,
    errorCallbackURL: loginPath(callbackUrl),
    disableRedirect: true,
  })
  if (result.ok) location.assign(result.body.url)
  return result
}

const loginPath = (callbackUrl: string): string => `/login?callbackUrl=${encodeURIComponent(callbackUrl)}`

export type PendingSignIn = { readonly email: string; readonly callbackUrl: string }

const pendingKey = 'parley:signing-in'

/** The address that this tab has requested a mail for. Without it, the page refers to "the mail" and offers to start again. */
export function pendingSignIn(): PendingSignIn | null {
  const stored = readFromTab(pendingKey) as { email?: unknown; callbackUrl?: unknown } | null
  return typeof stored?.email === 'string' ? { email: stored.email, callbackUrl: ownPath(stored.callbackUrl, location.origin, '/') } : null
}

/** The OAuth providers of the login, and the ways to confirm an account with them. */
export const loginProviderNames = { google: 'Google', github: 'GitHub' } as const
export type LoginProvider = keyof typeof loginProviderNames

export const isLoginProvider = (method: string): method is LoginProvider => method in loginProviderNames

/** The ways to confirm an account after the login is no longer recent. The server checks only the age of the session. */
export type ConfirmationMethods = { readonly hasMail: boolean; readonly providers: readonly LoginProvider[] }

/** `offered`: providers of this installation; `linked`: providers of the account. Null if there is no way. */
export function confirmationMethodsOf(offered: readonly string[], linked: readonly string[]): ConfirmationMethods | null {
  const hasMail = offered.includes('mail')
  const all = offered.filter(isLoginProvider)
  const own = all.filter((provider) => linked.includes(provider))
  // Without mail, a provider that has verified the same address opens the same account.
  const providers = own.length > 0 || hasMail ? own : all
  return hasMail || providers.length > 0 ? { hasMail, providers } : null
}
