/**
 * Rate limits of /api/auth.
 * Per network: every endpoint except those below that are `false`; better-auth enforces these limits.
 * Per e-mail address: mails and attempts to enter a code, for known and unknown addresses alike, stored under a keyed digest.
 */
import { APIError, getIP } from 'better-auth/api'
import { codeTriesPer10Min, directoryWritesPerHour, invitationMailsPerHour, signInMailsPer10Min } from '../contract/limits.ts'
import type { Settings } from '../settings.ts'
import type { Counter } from './counters.ts'

type Rule = { readonly window: number; readonly max: number }

const minuteS = 60
const productionPerMinute = { guests: 30, mails: 5, attempts: 10, others: 200 }
/** Chosen: the readers of one office network, with pages that have pictures. */
const sharesPerMinute = 600
/** Chosen: tests and developers share one network and create guests by the hundred. */
const developmentMax = { guests: 10_000, mails: 10_000, attempts: 10_000, others: 10_000 }

export const ipAddressHeaders = ['cf-connecting-ip']

/** The IPv4 address or IPv6 /64 of a request, as better-auth counts it. */
export const networkOf = (headers: Headers): string => getIP(headers, { advanced: { ipAddress: { ipAddressHeaders } } }) ?? 'unknown'

export function authRateLimits(environment: Settings['environment'], count: Counter) {
  const limits = environment === 'production' ? productionPerMinute : developmentMax
  const perMinute = (max: number): Rule => ({ window: minuteS, max })
  return {
    ...perMinute(limits.others),
    customStorage: {
      consume: async (key: string, { window, max }: Rule) => {
        const hit = await count(key, window)
        return { allowed: hit.count <= max, retryAfter: hit.count <= max ? null : hit.leftS }
      },
      // Required by the type; better-auth does not call them when `consume` exists.
      get: async () => null,
      set: async () => undefined,
    },
    // The first rule that matches a path applies.
    customRules: {
      // Called on every page and reconnect. They accept nothing that can be guessed; the only write extends the session once a day.
      '/get-session': false as const,
      '/token': false as const,
      '/jwks': false as const,
      '/sign-in/anonymous': perMinute(limits.guests),
      '/sign-in/magic-link': perMinute(limits.mails),
      '/email-otp/send-verification-otp': perMinute(limits.mails),
      // Chosen: four times the login mails.
      '/organization/invite-member': perMinute(limits.mails * 4),
      '/sign-in/*': perMinute(limits.attempts),
      '/email-otp/*': perMinute(limits.attempts),
    },
  }
}

/** Per network. Uses of magic links bypass better-auth's router, so they are counted here. */
export async function isLinkUseAllowed(environment: Settings['environment'], count: Counter, network: string): Promise<boolean> {
  const limits = environment === 'production' ? productionPerMinute : developmentMax
  return (await count(`link:${network}`, minuteS)).count <= limits.attempts
}

/** Per network: shared pages, their files and their copies. Null if allowed, else the seconds until the limit resets. */
export async function sharesRetryAfterS(environment: Settings['environment'], count: Counter, network: string): Promise<number | null> {
  const { count: reads, leftS } = await count(`share:${network}`, minuteS)
  return reads <= (environment === 'production' ? sharesPerMinute : developmentMax.others) ? null : leftS
}

/** Calls of a user that better-auth answers from the directory without a write. */
const organizationReads = /\/(check-slug|get-|has-permission|list)/
export const writesDirectory = (path: string): boolean =>
  path === '/update-user' || (path.startsWith('/organization/') && !organizationReads.test(path))

/** Per user, over all networks and endpoints. The limits of the endpoints count per network, and allow millions of writes a day. */
export async function assertWriteLimit(environment: Settings['environment'], count: Counter, userId: string): Promise<void> {
  const { count: writes, leftS } = await count(`writes:${userId}`, 3600)
  if (writes > (environment === 'production' ? directoryWritesPerHour : developmentMax.others)) throw rateLimited(leftS)
}

const rateLimited = (leftS: number) => new APIError('TOO_MANY_REQUESTS', { code: 'RATE_LIMITED' }, { 'retry-after': String(leftS) })

type AddressRule = {
  readonly name: string
  readonly windowS: number
  readonly max: { readonly address: number; readonly network: number; readonly knownBrowser?: number; readonly inviter?: number }
}

const mailRule: AddressRule = { name: 'mail', windowS: 600, max: signInMailsPer10Min }

const addressRules: { readonly [path: string]: AddressRule } = {
  '/sign-in/magic-link': mailRule,
  '/email-otp/send-verification-otp': mailRule,
  '/sign-in/email-otp': { name: 'try', windowS: 600, max: codeTriesPer10Min },
  // Also counts invitations that are sent again. A separate name, so invitations do not use up the mails for signing in.
  '/organization/invite-member': { name: 'invitation', windowS: 3600, max: invitationMailsPerHour },
}

export const isAddressLimited = (path: string): boolean => addressRules[path] !== undefined

type Attempt = {
  readonly path: string
  /** Keyed digest of the address. */
  readonly digest: string
  readonly network: string
  /** The id from the known-browser cookie of this address. */
  readonly knownBrowser: string | null
  /** Keyed digest of the inviter's address. A user id would change when the account is deleted and created again. */
  readonly inviter: string | null
}

/**
 * A known browser has a separate counter, and the first invitation of an inviter counts for the inviter only. All other attempts share a
 * counter per network and a counter per address.
 */
export async function assertAddressLimit(environment: Settings['environment'], count: Counter, attempt: Attempt): Promise<void> {
  const { path, digest, network, knownBrowser, inviter } = attempt
  const rule = addressRules[path]
  if (!rule) return
  const { name, windowS, max } = rule
  const hit = async (key: string, limit: number) => {
    const { count: hits, leftS } = await count(`${name}:${digest}${key}`, windowS)
    if (hits <= (environment === 'production' ? limit : developmentMax.mails)) return hits
    throw rateLimited(leftS)
  }
  if (knownBrowser !== null && max.knownBrowser !== undefined) return void (await hit(`:browser:${knownBrowser}`, max.knownBrowser))
  if (inviter !== null && max.inviter !== undefined && (await hit(`:inviter:${inviter}`, max.inviter)) === 1) return
  // First, so that requests over the limit of their network do not use up the limit of the address.
  await hit(`:network:${network}`, max.network)
  await hit('', max.address)
}
