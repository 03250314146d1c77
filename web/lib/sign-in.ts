/** Calls that begin a sign-in. */
import { publicUrls } from './public-urls.ts'

export type SignInResult = { readonly ok: true } | { readonly ok: false; readonly message: string }

export async function requestMagicLink(email: string, callbackUrl: string): Promise<SignInResult> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/auth/sign-in/magic-link`, {
      method: 'POST',
      credentials: 'include',
      headers: { 'content-type': 'application/json' },
      // A link that no longer works leads back here, where the next one can be asked for; the server adds `error`.
      body: JSON.stringify({ email, callbackURL: callbackUrl, errorCallbackURL: loginPath(callbackUrl) }),
    })
    if (response.ok) return { ok: true }
    return { ok: false, message: messageFor(response.status) }
  } catch {
    return { ok: false, message: 'The server cannot be reached. Check your connection and try again.' }
  }
}

const loginPath = (callbackUrl: string): string => `/login?callbackUrl=${encodeURIComponent(callbackUrl)}`

function messageFor(status: number): string {
  if (status === 400) return 'This is not an e-mail address we can write to.'
  if (status === 429) return 'Too many attempts. Wait a minute and try again.'
  return 'The mail could not be sent. Try again in a moment.'
}
