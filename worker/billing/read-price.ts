/** The price of PRO per month, read from Stripe and cached in the isolate. */
import { proPriceCacheMs, proPriceRetryMs } from '../contract/limits.ts'
import { type ProPrice, proPriceSchema } from '../contract/pro-price.ts'
import { logger } from '../lib/logger.ts'
import type { Billing } from './billing.ts'

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
