/**
 * How often somebody may knock: per network, as better-auth asks it, and per mail address, whatever network asks. Chosen by us: enough for
 * an office behind one address, too little for guessing codes (which also end after three wrong tries), for filling somebody's inbox, or
 * for filling the database with guests.
 */
import { APIError } from 'better-auth/api'
import type { Settings } from '../env.ts'
import type { Counter } from './counters.ts'

type Rule = { readonly window: number; readonly max: number }

const minuteS = 60
const production = { guests: 30, mails: 5, tries: 10, others: 200 }
/** Tests and people who develop share one address and make guests by the hundred. */
const development = { guests: 10_000, mails: 10_000, tries: 10_000, others: 10_000 }

export function authRateLimits(environment: Settings['environment'], count: Counter) {
  const limits = environment === 'production' ? production : development
  const perMinute = (max: number): Rule => ({ window: minuteS, max })
  return {
    ...perMinute(limits.others),
    customStorage: {
      consume: async (key: string, { window, max }: Rule) => {
        const knock = await count(key, window)
        return { allowed: knock.count <= max, retryAfter: knock.count <= max ? null : knock.leftS }
      },
      // Asked by nobody who can consume.
      get: async () => null,
      set: async () => undefined,
    },
    // The first rule that fits a path counts.
    customRules: {
      // Asked on every page and every reconnect, writes nothing, and cannot be used to guess anything.
      '/get-session': false as const,
      '/token': false as const,
      '/jwks': false as const,
      '/sign-in/anonymous': perMinute(limits.guests),
      '/sign-in/magic-link': perMinute(limits.mails),
      '/email-otp/send-verification-otp': perMinute(limits.mails),
      '/organization/invite-member': perMinute(limits.mails * 4),
      '/sign-in/*': perMinute(limits.tries),
      '/email-otp/*': perMinute(limits.tries),
      '/magic-link/*': perMinute(limits.tries),
    },
  }
}

const addressRules: { readonly [path: string]: { readonly name: string; readonly windowS: number; readonly production: number } } = {
  '/sign-in/magic-link': { name: 'mail', windowS: 600, production: 6 },
  '/email-otp/send-verification-otp': { name: 'mail', windowS: 600, production: 6 },
  // Sending one again counts, too. A prefix of its own: an invitation must not keep anybody from signing in.
  '/organization/invite-member': { name: 'invitation', windowS: 3600, production: 5 },
  '/sign-in/email-otp': { name: 'try', windowS: 600, production: 15 },
}

/** Counted for known and unknown addresses alike, by a digest: who is asked for stands nowhere. */
export async function limitAddress(environment: Settings['environment'], count: Counter, path: string, email: string): Promise<void> {
  const rule = addressRules[path]
  if (!rule) return
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(email.trim().toLowerCase()))
  const name = [...new Uint8Array(digest).slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const { count: knocks, leftS } = await count(`${rule.name}:${name}`, rule.windowS)
  if (knocks <= (environment === 'production' ? rule.production : development.mails)) return
  throw new APIError('TOO_MANY_REQUESTS', { code: 'RATE_LIMITED' }, { 'retry-after': String(leftS) })
}
