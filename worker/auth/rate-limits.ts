/**
 * How often one address may knock, per minute. Chosen by us: enough for an office behind one address, too little for guessing codes
 * (which also end after three wrong tries) or for filling the database with guests.
 */
import type { Settings } from '../env.ts'

type Rule = { readonly window: number; readonly max: number }

const windowS = 60
const production = { guests: 30, mails: 5, tries: 10, others: 200 }
/** Tests and people who develop share one address and make guests by the hundred. */
const development = { guests: 10_000, mails: 10_000, tries: 10_000, others: 10_000 }

export function authRateLimits(environment: Settings['environment']): {
  readonly rules: { readonly [path: string]: Rule | false }
  readonly others: Rule
} {
  const limits = environment === 'production' ? production : development
  const perMinute = (max: number): Rule => ({ window: windowS, max })
  return {
    others: perMinute(limits.others),
    // The first rule that fits a path counts.
    rules: {
      // Asked on every page and every reconnect, writes nothing, and cannot be used to guess anything.
      '/get-session': false,
      '/token': false,
      '/jwks': false,
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
