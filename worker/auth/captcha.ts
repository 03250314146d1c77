/**
 * Requires a Cloudflare Turnstile challenge if both keys are set: for every login mail, for guest sign-ins after the first five an hour per
 * network, and for attempts to enter a code over the limits of an address. If Turnstile does not respond, the request is refused.
 */
import { APIError } from 'better-auth/api'
import { captcha } from 'better-auth/plugins'
import { type RefusalCode, refusal } from '../contract/errors.ts'
import type { Settings } from '../settings.ts'
import { guestsPerHourWithoutCaptcha } from './auth-limits.ts'
import type { Counter } from './counters.ts'
import { publicNetworksOf } from './networks.ts'
import { countNetworks, widerLimits } from './rate-limits.ts'

const guestPath = '/sign-in/anonymous'
export const codePath = '/sign-in/email-otp'
const hourS = 3600

/** Maps the plugin's status codes to refusals. 500: Turnstile timed out (10 s) or returned no verdict. */
const refusalByStatus: { readonly [status: number]: { readonly code: RefusalCode; readonly status: number } } = {
  400: { code: 'captcha_required', status: 403 },
  403: { code: 'captcha_failed', status: 403 },
  500: { code: 'captcha_unavailable', status: 503 },
}

export type Turnstile = NonNullable<ReturnType<typeof createTurnstile>>

export function createTurnstile(turnstile: Settings['turnstile'], count: Counter) {
  if (!turnstile) return null
  const plugin = captcha({
    provider: 'cloudflare-turnstile',
    secretKey: turnstile.secretKey,
    siteVerifyURLOverride: `${turnstile.url}/turnstile/v0/siteverify`,
    endpoints: [guestPath, codePath, '/sign-in/magic-link', '/email-otp/send-verification-otp'],
  })
  const refusalOf = async (...args: Parameters<typeof plugin.onRequest>) => {
    const answer = await plugin.onRequest(...args)
    return answer ? (refusalByStatus[answer.response.status] ?? ({ code: 'captcha_unavailable', status: 503 } as const)) : null
  }
  const onRequest: typeof plugin.onRequest = async (request, ctx) => {
    const { pathname } = new URL(request.url)
    // The limits of the address decide whether a code needs a challenge.
    if (pathname.endsWith(codePath)) return undefined
    if (pathname.endsWith(guestPath) && (await countGuestSignIn(request, count))) return undefined
    const refused = await refusalOf(request, ctx)
    return refused ? { response: Response.json(refusal(refused.code), { status: refused.status }) } : undefined
  }
  return {
    plugin: { ...plugin, onRequest },
    /** Throws unless the request has solved a challenge. */
    assertSolved: async (...args: Parameters<typeof plugin.onRequest>): Promise<void> => {
      const refused = await refusalOf(...args)
      if (refused) throw new APIError(refused.status === 503 ? 'SERVICE_UNAVAILABLE' : 'FORBIDDEN', refusal(refused.code))
    },
  }
}

/** Returns true if the sign-in needs no challenge. */
async function countGuestSignIn(request: Request, count: Counter): Promise<boolean> {
  const networks = publicNetworksOf(request.headers) ?? { line: 'local' }
  const limits = widerLimits(guestsPerHourWithoutCaptcha)
  return (await countNetworks(count, networks, limits, hourS, (network) => `guest:${network}`)) === null
}
