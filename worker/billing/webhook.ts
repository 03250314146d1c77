/**
 * What Stripe tells us. An event that is not signed with our secret, or longer ago than five minutes, is nobody's. Of a good one only the
 * customer counts. A failure is thrown, answered with a 5xx, and told again by Stripe for days.
 */
import Stripe from 'stripe'
import * as z from 'zod'
import { logger } from '../lib/logger.ts'
import type { Billing } from './billing.ts'
import { forgetCustomer, syncCustomer } from './sync-customer.ts'

const toleranceS = 300
const cryptoProvider = Stripe.createSubtleCryptoProvider()

export type Received = 'handled' | 'ignored' | 'refused'

/** `rawBody` as it came: a body parsed and written again would have another signature. */
export async function receiveWebhook(billing: Billing, rawBody: string, signature: string): Promise<Received> {
  const event = await verified(billing, rawBody, signature)
  if (!event) return 'refused'
  const outcome = await handleEvent(billing, event)
  logger.info('stripe_event', { type: event.type, outcome })
  return outcome
}

/** What we read of it; the rest is looked at where it is used. */
const eventSchema = z.object({ type: z.string(), data: z.object({ object: z.object({}) }) })

async function verified({ stripe, webhookSecret, clock }: Billing, rawBody: string, signature: string): Promise<Stripe.Event | null> {
  if (isUnsigned(signature)) return null
  try {
    const event = await stripe.webhooks.constructEventAsync(rawBody, signature, webhookSecret, toleranceS, cryptoProvider, clock())
    return eventSchema.safeParse(event).success ? event : null
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return null
    // Signed, and yet no event: nothing that sending it again would mend.
    if (error instanceof SyntaxError || isThin(rawBody)) return null
    throw error
  }
}

/** Announces a signature and brings none. The SDK would call that a fault, which would be ours, and anybody could make it. */
const isUnsigned = (signature: string): boolean =>
  signature.split(',').some((item) => {
    const [scheme, value] = item.split('=')
    return scheme === 'v1' && !value
  })

/** An event of Stripe's newer API, which holds no object. An endpoint has to be set up to be told of these, and ours is told of the others. */
const isThin = (rawBody: string): boolean => thinSchema.safeParse(JSON.parse(rawBody)).success
const thinSchema = z.object({ object: z.literal('v2.core.event') })

/** The signature that Stripe would send along. */
export const signEvent = ({ stripe, webhookSecret, clock }: Billing, rawBody: string): Promise<string> =>
  stripe.webhooks.generateTestHeaderStringAsync({
    payload: rawBody,
    secret: webhookSecret,
    timestamp: Math.floor(clock() / 1000),
    cryptoProvider,
  })

/** Every kind of event that can change what somebody has paid for. The first-run page asks Stripe whether all of them are sent. */
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
  // An event of an account that is only connected to ours speaks of that account's customers.
  if (event.account) return 'ignored'
  const { object } = event.data
  if (event.type === 'customer.deleted') {
    const deletedId = idOf(object)
    if (deletedId === null) return 'ignored'
    await forgetCustomer(billing, deletedId)
    return 'handled'
  }
  const customerId = await customerOf(billing.stripe, object)
  return customerId !== null && (await syncCustomer(billing, customerId)) ? 'handled' : 'ignored'
}

/** A dispute names its charge alone. */
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
