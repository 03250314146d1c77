/**
 * Rate limits of /api/auth.
 * Per network, at three sizes: every endpoint except those below that are `false`; better-auth enforces these limits.
 * Per e-mail address: mails and attempts to enter a code, for known and unknown addresses alike, stored under a keyed digest.
 */
import { APIError } from 'better-auth/api'
import type { Settings } from '../settings.ts'
import {
  codeTriesPer10Min,
  codeTriesPerDay,
  directoryWritesPerHour,
  invitationMailsPerHour,
  pageErrorsPerHour,
  signInMailsPer10Min,
  wideNetworkFactors,
} from './auth-limits.ts'
import type { Counter } from './counters.ts'
import { type Networks, networksOfAddress } from './networks.ts'

type Rule = { readonly window: number; readonly max: number }

const minuteS = 60
const perMinute = { guests: 30, mails: 5, attempts: 10, others: 200 }
/** Chosen: the readers of one office network, with pages that have pictures. */
const sharesPerMinute = 600

type Environment = Settings['environment']

/** Chosen: tests and developers share one network and create guests by the hundred. */
const maxIn = (environment: Environment, production: number): number => (environment === 'production' ? production : 10_000)

/** Limits by size. A size without a limit is not counted. */
type SizeLimits = { readonly [Size in keyof Networks]?: number }

/**
 * Counts for each network, narrow to wide. Null if all allow it, else the seconds until the limit resets. A network over its limit does not count
 * for the wider ones, so that it cannot use up their limits.
 */
export async function countNetworks(
  count: Counter,
  networks: Networks,
  limits: SizeLimits,
  windowS: number,
  keyOf: (network: string) => string,
): Promise<number | null> {
  for (const size of ['line', 'site', 'block'] as const) {
    const [network, limit] = [networks[size], limits[size]]
    if (network === undefined || limit === undefined) continue
    const { count: hits, leftS } = await count(keyOf(network), windowS)
    if (hits > limit) return leftS
  }
  return null
}

export const widerLimits = (line: number): SizeLimits => ({
  line,
  site: line * wideNetworkFactors.site,
  block: line * wideNetworkFactors.block,
})

export function authRateLimits(environment: Environment, count: Counter) {
  const rule = (max: number): Rule => ({ window: minuteS, max: maxIn(environment, max) })
  return {
    ...rule(perMinute.others),
    customStorage: {
      consume: async (key: string, { window, max }: Rule) => {
        const [address = '', ...path] = key.split('|')
        const limits = widerLimits(max)
        const retryAfter = await countNetworks(count, networksOfAddress(address), limits, window, (network) => [network, ...path].join('|'))
        return { allowed: retryAfter === null, retryAfter }
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
      '/sign-in/anonymous': rule(perMinute.guests),
      '/sign-in/magic-link': rule(perMinute.mails),
      '/email-otp/send-verification-otp': rule(perMinute.mails),
      // Chosen: four times the login mails.
      '/organization/invite-member': rule(perMinute.mails * 4),
      '/sign-in/*': rule(perMinute.attempts),
      '/email-otp/*': rule(perMinute.attempts),
    },
  }
}

/**
 * Per network. Uses of magic links bypass better-auth's router, so they are counted here. Over the limit only a link that exists may be used:
 * other users of a network must not keep an owner from using the own link.
 */
export async function isLinkUseAllowed(
  environment: Environment,
  count: Counter,
  networks: Networks,
  exists: () => Promise<boolean>,
): Promise<boolean> {
  const limits = widerLimits(maxIn(environment, perMinute.attempts))
  return (await countNetworks(count, networks, limits, minuteS, (network) => `link:${network}`)) === null || exists()
}

/** Per network: shared pages, their files and their copies. Null if allowed, else the seconds until the limit resets. */
export function sharesRetryAfterS(environment: Environment, count: Counter, networks: Networks): Promise<number | null> {
  return countNetworks(count, networks, widerLimits(maxIn(environment, sharesPerMinute)), minuteS, (network) => `share:${network}`)
}

/** Reports of page errors: per network, and of all networks together. False over a limit. */
export async function isPageErrorAllowed(environment: Environment, count: Counter, networks: Networks): Promise<boolean> {
  const limits = widerLimits(maxIn(environment, pageErrorsPerHour.network))
  if ((await countNetworks(count, networks, limits, 3600, (network) => `page-error:${network}`)) !== null) return false
  return (await count('page-errors', 3600)).count <= pageErrorsPerHour.all
}

/** Calls of a user that better-auth answers from the directory without a write. */
const organizationReads = /\/(check-slug|get-|has-permission|list)/
export const writesDirectory = (path: string): boolean =>
  path === '/update-user' || (path.startsWith('/organization/') && !organizationReads.test(path))

/** Per user, over all networks and endpoints. The limits of the endpoints count per network, and allow millions of writes a day. */
export async function assertWriteLimit(environment: Environment, count: Counter, userId: string): Promise<void> {
  const { count: writes, leftS } = await count(`writes:${userId}`, 3600)
  if (writes > maxIn(environment, directoryWritesPerHour)) throw rateLimited(leftS)
}

const rateLimited = (leftS: number) => new APIError('TOO_MANY_REQUESTS', { code: 'RATE_LIMITED' }, { 'retry-after': String(leftS) })

type AddressRule = {
  readonly name: string
  readonly windowS: number
  readonly max: SizeLimits & {
    readonly address: number
    readonly knownBrowser?: number
    readonly inviter?: number
    readonly solved?: Limits
  }
  readonly maxPerDay?: { readonly address: number; readonly solved: number }
}
type Limits = { readonly line: number; readonly address: number }

const mailRule: AddressRule = { name: 'mail', windowS: 600, max: signInMailsPer10Min }

const addressRules: { readonly [path: string]: AddressRule } = {
  '/sign-in/magic-link': mailRule,
  '/email-otp/send-verification-otp': mailRule,
  '/sign-in/email-otp': { name: 'try', windowS: 600, max: codeTriesPer10Min, maxPerDay: codeTriesPerDay },
  // Also counts invitations that are sent again. A separate name, so invitations do not use up the mails for signing in.
  '/organization/invite-member': { name: 'invitation', windowS: 3600, max: invitationMailsPerHour },
}

export const isAddressLimited = (path: string): boolean => addressRules[path] !== undefined

type Attempt = {
  readonly path: string
  /** Keyed digest of the address. */
  readonly digest: string
  readonly networks: Networks
  /** The id from the known-browser cookie of this address. */
  readonly knownBrowser: string | null
  /** Keyed digest of the inviter's address. A user id would change when the account is deleted and created again. */
  readonly inviter: string | null
  /** Throws unless the request has solved a Turnstile challenge. Null without Turnstile. */
  readonly assertSolved: (() => Promise<void>) | null
}

const dayS = 24 * 60 * 60

/**
 * A known browser has a separate counter, and the first invitation of an inviter counts for the inviter only. All other attempts share counters
 * per network and per address. Over their limits, a solved Turnstile challenge is required, and counts separately.
 */
export async function assertAddressLimit(environment: Environment, count: Counter, attempt: Attempt): Promise<void> {
  const { path, digest, networks, knownBrowser, inviter, assertSolved } = attempt
  const rule = addressRules[path]
  if (!rule) return
  const { name, windowS, max, maxPerDay } = rule
  const allowed = (limit: number) => maxIn(environment, limit)
  const keyOf = (part: string) => `${name}:${digest}${part}`
  const hit = async (key: string, limit: number, inS = windowS) => {
    const { count: hits, leftS } = await count(key, inS)
    return { hits, retryAfterS: hits <= allowed(limit) ? null : leftS }
  }
  const assertHit = async (...args: Parameters<typeof hit>) => {
    const { hits, retryAfterS } = await hit(...args)
    if (retryAfterS !== null) throw rateLimited(retryAfterS)
    return hits
  }
  if (knownBrowser !== null && max.knownBrowser !== undefined)
    return void (await assertHit(keyOf(`:browser:${knownBrowser}`), max.knownBrowser))
  if (inviter !== null && max.inviter !== undefined && (await assertHit(keyOf(`:inviter:${inviter}`), max.inviter)) === 1) return
  const sizes: SizeLimits = { line: allowed(max.line ?? 0), site: allowed(max.site ?? 0), block: allowed(max.block ?? 0) }
  // The networks first, so that requests over their limits do not use up the limit of the address.
  const retryAfterS =
    (await countNetworks(count, networks, sizes, windowS, (network) => keyOf(`:network:${network}`))) ??
    (await hit(keyOf(''), max.address)).retryAfterS ??
    (maxPerDay ? (await hit(`day:${keyOf('')}`, maxPerDay.address, dayS)).retryAfterS : null)
  if (retryAfterS === null) return
  if (!max.solved || !assertSolved) throw rateLimited(retryAfterS)
  await assertSolved()
  await assertHit(keyOf(`:solved:${networks.line}`), max.solved.line)
  await assertHit(keyOf(':solved'), max.solved.address)
  if (maxPerDay) await assertHit(`day:${keyOf(':solved')}`, maxPerDay.solved, dayS)
}
