/** GET /api/price: the price of PRO per month, read from Stripe. Public, because the page shows it to all users. */
import { billingFor } from '../billing/billing.ts'
import { readProPrice } from '../billing/read-price.ts'
import type { PriceBody } from '../contract/pro-price.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handlePrice(c: AppContext): Promise<Response> {
  const billing = billingFor(c.env, c.var.settings)
  if (!billing) return refuseWith(c, 'not_configured')
  const body: PriceBody = { price: await readProPrice(billing) }
  return c.json(body)
}
