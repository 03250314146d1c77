/** POST /api/webhook/stripe. A 400 is final; Stripe resends the event after every other status except 200. */
import { billingFor } from '../billing/billing.ts'
import { BillingBusyError } from '../billing/lease.ts'
import { receiveWebhook } from '../billing/webhook.ts'
import { logger } from '../lib/logger.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleWebhook(c: AppContext): Promise<Response> {
  const billing = billingFor(c.env, c.var.settings)
  // The simulation delivers its events without HTTP. Its secret is public, so HTTP requests could be forged.
  if (!billing || billing.isStandIn) return refuseWith(c, 'not_configured')
  try {
    const received = await receiveWebhook(billing, await c.req.text(), c.req.header('stripe-signature') ?? '')
    return received === 'refused' ? refuseWith(c, 'invalid_request') : c.json({ received })
  } catch (error) {
    logger.error('stripe_event_failed', error)
    return refuseWith(c, 'internal', error instanceof BillingBusyError ? 503 : 500)
  }
}
