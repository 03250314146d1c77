/** Stripe's current word about a customer, and the one subscription of theirs that counts. */
import type Stripe from 'stripe'
import type { Subscription } from '../contract/subscription.ts'
import { givesPro, isLive } from '../contract/subscription.ts'
import type { Owner } from '../db/customers.ts'

/** Asks Stripe now. Null for a customer that never subscribed. */
export async function currentSubscription(
  stripe: Stripe,
  customerId: string,
  kind: Owner['kind'],
  nowMs: number,
): Promise<Subscription | null> {
  const stored: Counted[] = []
  for (const subscription of await listSubscriptions(stripe, customerId)) {
    stored.push({ createdS: subscription.created, stored: await storedOf(stripe, subscription, kind, nowMs) })
  }
  return governing(stored, nowMs)
}

export async function listSubscriptions(stripe: Stripe, customerId: string): Promise<Stripe.Subscription[]> {
  const { data } = await stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100, expand: ['data.latest_invoice'] })
  return data
}

async function storedOf(stripe: Stripe, subscription: Stripe.Subscription, kind: Owner['kind'], nowMs: number): Promise<Subscription> {
  const { id, status, cancel_at_period_end, cancel_at, pause_collection, items } = subscription
  const [item] = items.data
  const startMs = (item?.current_period_start ?? subscription.created) * 1000
  const endMs = (item?.current_period_end ?? subscription.created) * 1000
  const paidUntilMs = (await isPaid(stripe, subscription, endMs > nowMs)) ? endMs : startMs
  return {
    id,
    status,
    currentPeriodEndMs: endMs,
    cancelAtPeriodEnd: cancel_at_period_end || (cancel_at !== null && cancel_at * 1000 <= endMs),
    ...(paidUntilMs === endMs ? {} : { paidUntilMs }),
    ...(pause_collection ? { isPaused: true } : {}),
    ...(kind === 'organization' ? { seats: item?.quantity ?? 1 } : {}),
  }
}

/** Whether the current period is paid for and has stayed so. `isRunning`: whether money that went back would still matter. */
async function isPaid(
  stripe: Stripe,
  { status, pause_collection, latest_invoice }: Stripe.Subscription,
  isRunning: boolean,
): Promise<boolean> {
  const invoice = typeof latest_invoice === 'object' ? latest_invoice : null
  const hasPaid = invoice?.status === 'paid'
  switch (status) {
    case 'active':
    case 'trialing':
      // Without a pause an invoice that is not paid yet is being collected, or Stripe would call the subscription past due.
      if (!hasPaid) return pause_collection === null
      break
    case 'canceled':
      if (!hasPaid) return false
      break
    default:
      return false
  }
  return !(isRunning && invoice?.id && (await isGivenBack(stripe, invoice.id)))
}

/** Disputes that leave the money with us, or have not taken it yet. */
const harmlessDisputes = ['won', 'prevented', 'warning_needs_response', 'warning_under_review', 'warning_closed']

async function isGivenBack(stripe: Stripe, invoiceId: string): Promise<boolean> {
  const { data: payments } = await stripe.invoicePayments.list({
    invoice: invoiceId,
    status: 'paid',
    expand: ['data.payment.payment_intent.latest_charge'],
  })
  for (const { payment } of payments) {
    const charge = await chargeOf(stripe, payment)
    if (charge?.refunded) return true
    if (!charge?.disputed) continue
    const { data: disputes } = await stripe.disputes.list({ charge: charge.id })
    if (disputes.some((dispute) => !harmlessDisputes.includes(dispute.status))) return true
  }
  return false
}

async function chargeOf(stripe: Stripe, { payment_intent, charge }: Stripe.InvoicePayment['payment']): Promise<Stripe.Charge | null> {
  const found = typeof payment_intent === 'object' ? payment_intent.latest_charge : charge
  return typeof found === 'string' ? stripe.charges.retrieve(found) : (found ?? null)
}

type Counted = { readonly createdS: number; readonly stored: Subscription }

/** One that gives PRO before one that does not, one that is alive before one that has ended, then the newest. */
function governing(candidates: readonly Counted[], nowMs: number): Subscription | null {
  const rank = ({ stored }: Counted) => (givesPro(stored, nowMs) ? 2 : 0) + (isLive(stored) ? 1 : 0)
  const [first] = candidates.toSorted((a, b) => rank(b) - rank(a) || b.createdS - a.createdS || (a.stored.id < b.stored.id ? 1 : -1))
  return first?.stored ?? null
}
