/** Reads a customer's subscriptions from Stripe and selects the one that decides whether the owner has PRO. */
import type Stripe from 'stripe'
import { givesPro, isLive, type Subscription } from '../contract/organizations/subscription.ts'
import {
  addCustomer,
  type Customer,
  type Owner,
  readBeneficiaries,
  readCustomer,
  readOwner,
  removeCustomer,
  storeSubscription,
} from '../db/customers.ts'
import type { Lease } from '../db/leases.ts'
import { type Billing, nullWhenMissing } from './billing.ts'
import { BillingBusyError, withLease } from './lease.ts'

/** Reads from Stripe, without a cache. Null for a customer that never subscribed. */
export async function currentSubscription(
  stripe: Stripe,
  customerId: string,
  kind: Owner['kind'],
  nowMs: number,
): Promise<Subscription | null> {
  const candidates: Candidate[] = []
  for (const subscription of await listSubscriptions(stripe, customerId)) {
    candidates.push({ createdS: subscription.created, stored: await toStored(stripe, subscription, kind, nowMs) })
  }
  return selectSubscription(candidates, nowMs)
}

export async function listSubscriptions(stripe: Stripe, customerId: string): Promise<Stripe.Subscription[]> {
  const { data } = await stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100, expand: ['data.latest_invoice'] })
  return data
}

async function toStored(stripe: Stripe, subscription: Stripe.Subscription, kind: Owner['kind'], nowMs: number): Promise<Subscription> {
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

/**
 * True if the current period is paid and the payment was neither refunded nor withdrawn by a dispute. `isRunning`: the period has not
 * ended; only then are refunds and disputes checked.
 */
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
      // Without a pause, an unpaid invoice is still being collected; otherwise the status would be past_due.
      if (!hasPaid) return pause_collection === null
      break
    case 'canceled':
      if (!hasPaid) return false
      break
    default:
      return false
  }
  return !(isRunning && invoice?.id && (await isRefundedOrDisputed(stripe, invoice.id)))
}

/** Dispute states without a withdrawal: won by us, or not decided yet. */
const harmlessDisputes = ['won', 'prevented', 'warning_needs_response', 'warning_under_review', 'warning_closed']

async function isRefundedOrDisputed(stripe: Stripe, invoiceId: string): Promise<boolean> {
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

type Candidate = { readonly createdS: number; readonly stored: Subscription }

/** Prefers a subscription that gives PRO, then a live one, then the newest. */
function selectSubscription(candidates: readonly Candidate[], nowMs: number): Subscription | null {
  const rank = ({ stored }: Candidate) => (givesPro(stored, nowMs) ? 2 : 0) + (isLive(stored) ? 1 : 0)
  const [first] = candidates.toSorted((a, b) => rank(b) - rank(a) || b.createdS - a.createdS || (a.stored.id < b.stored.id ? 1 : -1))
  return first?.stored ?? null
}

/**
 * Makes the stored subscription equal to the one at Stripe. Triggers (webhook event, return from checkout, schedule) carry no data that is
 * stored, so they may arrive in any order, repeatedly, late or not at all.
 */

/** Null without a customer, or if the customer never subscribed. Throws `BillingBusyError` if the lease cannot be taken or expires. */
export function syncOwner(billing: Billing, owner: Owner): Promise<Subscription | null> {
  return withLease(billing, owner, async (lease) => {
    const customer = await readCustomer(billing.db, owner)
    return customer && syncWithLease(billing, lease, owner, customer)
  })
}

/** As `syncOwner`, for a caller that holds the owner's lease. Storing the subscription releases the lease. */
export async function syncWithLease(
  billing: Billing,
  lease: Lease,
  owner: Owner,
  { id, subscription: before }: Customer,
): Promise<Subscription | null> {
  const { stripe, db, clock, notifyUsers } = billing
  const subscription = await currentSubscription(stripe, id, owner.kind, clock())
  if (!(await storeSubscription(db, lease, owner, id, subscription)))
    throw new BillingBusyError('the lease ran out before the subscription was stored')
  if (JSON.stringify(before) !== JSON.stringify(subscription)) await notifyUsers(await readBeneficiaries(db, owner))
  return subscription
}

/** False for a customer without an owner here: of another product in the same Stripe account, or of a deleted owner. */
export async function syncCustomer(billing: Billing, customerId: string): Promise<boolean> {
  const owner = (await readOwner(billing.db, customerId)) ?? (await linkOwnerFromMetadata(billing, customerId))
  if (!owner) return false
  await syncOwner(billing, owner)
  return true
}

/** Finds the owner in Stripe's metadata: the Worker may have crashed between creating the customer and storing it. */
async function linkOwnerFromMetadata({ stripe, db }: Billing, customerId: string): Promise<Owner | null> {
  const customer = await stripe.customers.retrieve(customerId).catch(nullWhenMissing)
  if (!customer || customer.deleted) return null
  const { userId, organizationId } = customer.metadata
  const owner: Owner | null = userId ? { kind: 'user', id: userId } : organizationId ? { kind: 'organization', id: organizationId } : null
  return owner && (await addCustomer(db, owner, customerId)) ? owner : null
}

/** Handles the deletion of a customer at Stripe, which also ends its subscriptions. */
export async function removeDeletedCustomer(billing: Billing, customerId: string): Promise<void> {
  const owner = await readOwner(billing.db, customerId)
  if (!owner) return
  await withLease(billing, owner, () => removeCustomer(billing.db, owner, customerId))
  await billing.notifyUsers(await readBeneficiaries(billing.db, owner))
}
