/** Events of the simulation on their way to us, signed and checked like Stripe's. */
import type { Billing } from '../billing.ts'
import { receiveWebhook, signEvent } from '../webhook.ts'
import type { SimEvent } from './company.ts'

export async function deliver(billing: Billing, events: readonly SimEvent[]): Promise<void> {
  for (const event of events) {
    const payload = JSON.stringify(event)
    await receiveWebhook(billing, payload, await signEvent(billing, payload))
  }
}
