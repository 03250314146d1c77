/** Stripe's SDK with the keys of this deployment. In development without keys, the same SDK calls a simulation. */
import Stripe from 'stripe'
import type { Env } from '../bindings.ts'
import { proPriceCacheMs, proPriceRetryMs } from '../contract/limits.ts'
import { type ProPrice, proPriceSchema } from '../contract/organizations/pro-price.ts'
import { directoryDb } from '../db/shards.ts'
import { boundedFetch } from '../lib/bounded-body.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { logger } from '../lib/logger.ts'
import { canPay, type Settings } from '../settings.ts'
import { notify } from '../user-sync/rpc.ts'

export type Billing = {
  readonly stripe: Stripe
  readonly webhookSecret: string
  readonly priceId: string
  /** Unset: the default configuration of the account. */
  readonly portalId?: string | null
  readonly isStandIn: boolean
  readonly db: D1Database
  readonly clock: Clock
  readonly notifyUsers: (userIds: readonly string[]) => Promise<void>
}

/** Null when payments are not configured. */
export function billingFor(env: Env, settings: Settings): Billing | null {
  const account = accountOf(env, settings)
  return account && { ...account, db: directoryDb(env), clock: systemClock, notifyUsers: (userIds) => notify(env, userIds) }
}

type Account = Pick<Billing, 'stripe' | 'webhookSecret' | 'priceId' | 'portalId' | 'isStandIn'>

function accountOf(env: Env, settings: Settings): Account | null {
  if (settings.stripe) {
    const { secretKey, webhookSecret, proMonthlyPriceId, portalId, url } = settings.stripe
    return { stripe: stripeClient(secretKey, { url }), webhookSecret, priceId: proMonthlyPriceId, portalId, isStandIn: false }
  }
  if (!settings.standIns || !canPay(settings)) return null
  const stripe = stripeClient('sk_simulation', { fetch: settings.standIns.paymentFetch(directoryDb(env)) })
  return { stripe, webhookSecret: 'whsec_simulation', priceId: 'price_pro_monthly', isStandIn: true }
}

const timeoutMs = 10_000
/** Chosen: several times the size of a list of 100 subscriptions with their invoices. */
const maxAnswerBytes = 16 * 1024 * 1024

/** The SDK retries connection errors, 409 and 5xx with the same idempotency key. */
export function stripeClient(
  key: string,
  {
    url = null,
    fetch = (input, init) => globalThis.fetch(input, init),
  }: { readonly url?: string | null; readonly fetch?: typeof globalThis.fetch },
): Stripe {
  return new Stripe(key, {
    httpClient: Stripe.createFetchHttpClient(boundedFetch(fetch, maxAnswerBytes)),
    maxNetworkRetries: 2,
    timeout: timeoutMs,
    telemetry: false,
    ...(url === null ? {} : addressOf(new URL(url))),
  })
}

function addressOf({ protocol, hostname, port }: URL) {
  const name = protocol === 'http:' ? ('http' as const) : ('https' as const)
  return { host: hostname, port: port || (name === 'http' ? 80 : 443), protocol: name }
}

/** The price of PRO per month, read from Stripe and cached in the isolate. */
type Cached = { readonly price: ProPrice | null; readonly expiresAtMs: number }

/** By price id. Holds results and no promises, because a Worker must not await another request's I/O. */
const cache = new Map<string, Cached>()

/** The page shows its fallback price meanwhile, so the timeout is short. */
const requestOptions = { timeout: 3000, maxNetworkRetries: 0 }

/** Null if Stripe does not respond, or if the price is not a fixed amount. */
export async function readProPrice({ stripe, priceId, clock }: Pick<Billing, 'stripe' | 'priceId' | 'clock'>): Promise<ProPrice | null> {
  const cached = cache.get(priceId)
  if (cached && cached.expiresAtMs > clock()) return cached.price
  const price = await stripe.prices.retrieve(priceId, {}, requestOptions).then(
    ({ unit_amount: unitAmount, currency }) => proPriceSchema.safeParse({ unitAmount, currency }).data ?? null,
    (error: unknown) => {
      logger.error('price_failed', error)
      return null
    },
  )
  cache.set(priceId, { price, expiresAtMs: clock() + (price === null ? proPriceRetryMs : proPriceCacheMs) })
  return price
}

/** Turns Stripe's `resource_missing` error into null and rethrows every other error. */
export function nullWhenMissing(error: unknown): null {
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null
  throw error
}
