/** Delivers events of the simulation to the webhook handler, signed like Stripe's. */
import type { Billing } from '../../billing/billing.ts'
import { receiveWebhook, signEvent } from '../../billing/webhook.ts'
import type { SimEvent } from './company.ts'

export async function deliver(billing: Billing, events: readonly SimEvent[]): Promise<void> {
  for (const event of events) {
    const payload = JSON.stringify(event)
    await receiveWebhook(billing, payload, await signEvent(billing, payload))
  }
}
