/** The monthly price of PRO. Stripe's price object defines it; the page shows it. */
import * as z from 'zod/mini'

export const proPriceSchema = z.object({
  /** In the currency's smallest unit, as at Stripe: cents for dollars. */
  unitAmount: z.int().check(z.gte(0)),
  /** ISO 4217, lower case. */
  currency: z.string().check(z.regex(/^[a-z]{3}$/)),
})
export type ProPrice = z.infer<typeof proPriceSchema>

/** Body of GET /api/price. Null if Stripe does not respond, or if the price is not a fixed amount. */
export const priceBodySchema = z.object({ price: z.nullable(proPriceSchema) })
export type PriceBody = z.infer<typeof priceBodySchema>

/** The price that `/api/setup` expects, in cents. Shown until Stripe's price is known. */
export const defaultProPrice: ProPrice = { unitAmount: 2500, currency: 'usd' }

/** The price of separate chat subscriptions a month, in dollars, to which the page compares PRO. */
export const separateDollars = 115

/** True if PRO costs less than 30% of the separate subscriptions. */
export const savesOver70Percent = ({ unitAmount, currency }: ProPrice): boolean =>
  currency === 'usd' && unitAmount < separateDollars * 100 * 0.3
