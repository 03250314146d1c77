/**
 * Receives Stripe's webhook events. Rejects events without a valid signature or signed more than five minutes ago. An accepted event only
 * identifies the customer to reload. A failure throws and becomes a 5xx, and Stripe resends the event for days.
 */
import Stripe from 'stripe'
import * as z from 'zod'
import { logger } from '../lib/logger.ts'
import type { Billing } from './billing.ts'
import { removeDeletedCustomer, syncCustomer } from './subscription.ts'

const toleranceS = 300
const cryptoProvider = Stripe.createSubtleCryptoProvider()

type Received = 'handled' | 'ignored' | 'refused'

/** `rawBody`: the unmodified body; parsed and serialised again, its signature would not match. */
export async function receiveWebhook(billing: Billing, rawBody: string, signature: string): Promise<Received> {
  const event = await verify(billing, rawBody, signature)
  if (!event) return 'refused'
  const outcome = await handleEvent(billing, event)
  logger.info('stripe_event', { type: event.type, outcome })
  return outcome
}

/** The fields needed to route an event. `object` is checked where it is used. */
const eventSchema = z.object({ type: z.string(), data: z.object({ object: z.object({}) }) })

async function verify({ stripe, webhookSecret, clock }: Billing, rawBody: string, signature: string): Promise<Stripe.Event | null> {
  if (isUnsigned(signature)) return null
  try {
    const event = await stripe.webhooks.constructEventAsync(rawBody, signature, webhookSecret, toleranceS, cryptoProvider, clock())
    return eventSchema.safeParse(event).success ? event : null
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return null
    // The signature is valid but the body is not an event; a resend would not help.
    if (error instanceof SyntaxError || isThin(rawBody)) return null
    throw error
  }
}

/**
 * A header with an empty v1 signature. The SDK throws a different error for it, which would count as our failure although anybody can send
 * it.
 */
const isUnsigned = (signature: string): boolean =>
  signature.split(',').some((item) => {
    const [scheme, value] = item.split('=')
    return scheme === 'v1' && !value
  })

/** A "thin" event of Stripe's v2 API, which contains no object. Endpoints receive these only if configured to; ours is not. */
const isThin = (rawBody: string): boolean => thinSchema.safeParse(JSON.parse(rawBody)).success
const thinSchema = z.object({ object: z.literal('v2.core.event') })

/** The `stripe-signature` header that Stripe would send for this body. */
export const signEvent = ({ stripe, webhookSecret, clock }: Billing, rawBody: string): Promise<string> =>
  stripe.webhooks.generateTestHeaderStringAsync({
    payload: rawBody,
    secret: webhookSecret,
    timestamp: Math.floor(clock() / 1000),
    cryptoProvider,
  })

/** All events that can change a subscription. The setup page checks that Stripe sends each of them. */
export const eventTypes = [
  'customer.deleted',
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const

export async function handleEvent(billing: Billing, event: Stripe.Event): Promise<'handled' | 'ignored'> {
  // Events of connected accounts (Stripe Connect) are about customers of those accounts.
  if (event.account) return 'ignored'
  const { object } = event.data
  if (event.type === 'customer.deleted') {
    const deletedId = idOf(object)
    if (deletedId === null) return 'ignored'
    await removeDeletedCustomer(billing, deletedId)
    return 'handled'
  }
  const customerId = await customerOf(billing.stripe, object)
  return customerId !== null && (await syncCustomer(billing, customerId)) ? 'handled' : 'ignored'
}

/** The customer of the object. A dispute has only a charge, so its charge is loaded. */
async function customerOf(stripe: Stripe, object: object): Promise<string | null> {
  if ('customer' in object) return idOf(object.customer)
  const chargeId = 'charge' in object ? idOf(object.charge) : null
  return chargeId === null ? null : idOf((await stripe.charges.retrieve(chargeId)).customer)
}

function idOf(reference: unknown): string | null {
  if (typeof reference === 'string') return reference
  const id = typeof reference === 'object' && reference !== null && 'id' in reference ? reference.id : null
  return typeof id === 'string' ? id : null
}
