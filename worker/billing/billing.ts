/**
 * The way to Stripe: its SDK with this deployment's keys, or in a development without keys a simulation behind the same SDK, which the
 * interface calls by that name. Production never gets a simulation.
 */
import Stripe from 'stripe'
import { directoryDb } from '../db/shards.ts'
import { canPay, type Env, type Settings } from '../env.ts'
import { boundedFetch } from '../lib/bounded-body.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { notify } from '../user-sync/rpc.ts'
import { standInFetch } from './stand-in/stand-in.ts'

export type Billing = {
  readonly stripe: Stripe
  readonly webhookSecret: string
  readonly priceId: string
  readonly isStandIn: boolean
  readonly db: D1Database
  readonly clock: Clock
  readonly tell: (userIds: readonly string[]) => Promise<void>
}

/** Null where nothing can be paid for. */
export function billingFor(env: Env, settings: Settings): Billing | null {
  const account = accountOf(env, settings)
  return account && { ...account, db: directoryDb(env), clock: systemClock, tell: (userIds) => notify(env, userIds) }
}

type Account = Pick<Billing, 'stripe' | 'webhookSecret' | 'priceId' | 'isStandIn'>

function accountOf(env: Env, settings: Settings): Account | null {
  if (settings.stripe) {
    const { secretKey, webhookSecret, proMonthlyPriceId, url } = settings.stripe
    return { stripe: stripeClient(secretKey, { url }), webhookSecret, priceId: proMonthlyPriceId, isStandIn: false }
  }
  if (!canPay(settings)) return null
  const stripe = stripeClient('sk_simulation', { fetch: standInFetch(directoryDb(env), systemClock) })
  return { stripe, webhookSecret: 'whsec_simulation', priceId: 'price_pro_monthly', isStandIn: true }
}

const timeoutMs = 10_000
/** Ours: several times what a hundred subscriptions with their invoices take. */
const maxAnswerBytes = 16 * 1024 * 1024

/** The SDK tries again by itself, with the same idempotency key, when nothing, a 409 or a 5xx came back. */
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
