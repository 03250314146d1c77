/**
 * Requires a Cloudflare Turnstile challenge if both keys are set: for every login mail, and for guest sign-ins after the first five an hour
 * per network. If Turnstile does not respond, the request is refused.
 */
import { captcha } from 'better-auth/plugins'
import { type RefusalCode, refusal } from '../contract/errors.ts'
import { guestsPerHourWithoutCaptcha } from '../contract/limits.ts'
import type { Settings } from '../settings.ts'
import type { Counter } from './counters.ts'
import { publicNetworkOf } from './day-use-origin.ts'

const guestPath = '/sign-in/anonymous'
const hourS = 3600

/** Maps the plugin's status codes to refusals. 500: Turnstile timed out (10 s) or returned no verdict. */
const refusalByStatus: { readonly [status: number]: { readonly code: RefusalCode; readonly status: number } } = {
  400: { code: 'captcha_required', status: 403 },
  403: { code: 'captcha_failed', status: 403 },
  500: { code: 'captcha_unavailable', status: 503 },
}

export function turnstilePlugins(turnstile: Settings['turnstile'], count: Counter) {
  if (!turnstile) return []
  const plugin = captcha({
    provider: 'cloudflare-turnstile',
    secretKey: turnstile.secretKey,
    siteVerifyURLOverride: `${turnstile.url}/turnstile/v0/siteverify`,
    endpoints: [guestPath, '/sign-in/magic-link', '/email-otp/send-verification-otp'],
  })
  const onRequest: typeof plugin.onRequest = async (request, ctx) => {
    if (new URL(request.url).pathname.endsWith(guestPath) && (await countGuestSignIn(request, count))) return undefined
    const answer = await plugin.onRequest(request, ctx)
    if (!answer) return undefined
    const { code, status } = refusalByStatus[answer.response.status] ?? { code: 'captcha_unavailable', status: 503 }
    return { response: Response.json(refusal(code), { status }) }
  }
  return [{ ...plugin, onRequest }]
}

/** Returns true if the sign-in needs no challenge. */
async function countGuestSignIn(request: Request, count: Counter): Promise<boolean> {
  const { count: guests } = await count(`guest:${publicNetworkOf(request.headers) ?? 'local'}`, hourS)
  return guests <= guestsPerHourWithoutCaptcha
}
