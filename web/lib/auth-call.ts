/**
 * One call of the auth API. Returns its body or a sentence for the user and never throws. A call that requires a Turnstile challenge is
 * repeated once with its token.
 */

import { isRecord } from '../../worker/contract/is-record.ts'
import { solveCaptcha } from './captcha.ts'
import { publicUrls } from './public-urls.ts'
import { authRequest } from './session.ts'
import { libText } from './texts/en.ts'

export type AuthResult<T> =
  | { readonly ok: true; readonly body: T }
  /** `code` is null if the server was unreachable or sent no code. */
  | { readonly ok: false; readonly code: string | null; readonly message: string }

/** POST with a body, otherwise GET. The caller supplies the response type of the route. */
export async function authCall<T = unknown>(path: string, body?: object): Promise<AuthResult<T>> {
  const result = await send<T>(path, body, null)
  if (result.ok || result.code !== 'captcha_required') return result
  const token = await solveCaptcha('mail')
  return token === null ? result : send(path, body, token)
}

async function send<T>(path: string, body: object | undefined, captchaToken: string | null): Promise<AuthResult<T>> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/auth/${path}`, authRequest(body, captchaToken))
    const responseBody: unknown = await response.json().catch(() => null)
    return response.ok ? { ok: true, body: responseBody as T } : { ok: false, ...(await refusalOf(responseBody, response.status)) }
  } catch {
    return { ok: false, code: null, message: libText('unreachable') }
  }
}

async function refusalOf(body: unknown, status: number): Promise<{ readonly code: string | null; readonly message: string }> {
  // Not loaded before it is needed, because login pages have no other use for these texts.
  const { authSentence } = await import('./auth-refusals/auth-sentence.ts')
  const refusal = isRecord(body) && isRecord(body.error) ? body.error : body
  const { code, organization } = (isRecord(refusal) ? refusal : {}) as { code?: unknown; organization?: unknown }
  const known = typeof code === 'string' ? code : null
  return { code: known, message: authSentence(known, status, typeof organization === 'string' ? organization : undefined) }
}
