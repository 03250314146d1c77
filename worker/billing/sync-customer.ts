/**
 * Makes the stored subscription equal to Stripe's current one. Whatever gave the occasion (an event, a return from checkout, the clock) is
 * only that: nothing of it is stored. So occasions may come in any order, twice, late or not at all.
 */
import type { Subscription } from '../contract/subscription.ts'
import type { Lease } from '../db/billing-lease.ts'
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
import type { Billing } from './billing.ts'
import { BillingBusyError, withLease } from './lease.ts'
import { nullWhenMissing } from './missing.ts'
import { currentSubscription } from './subscription.ts'

/** Null when there is no customer, or when it never subscribed. */
export function syncOwner(billing: Billing, owner: Owner): Promise<Subscription | null> {
  return withLease(billing, owner, async (lease) => {
    const customer = await readCustomer(billing.db, owner)
    return customer && syncUnder(billing, lease, owner, customer)
  })
}

/** For whoever holds the lease already, which is released with this. */
export async function syncUnder(
  billing: Billing,
  lease: Lease,
  owner: Owner,
  { id, subscription: before }: Customer,
): Promise<Subscription | null> {
  const { stripe, db, clock, tell } = billing
  const subscription = await currentSubscription(stripe, id, owner.kind, clock())
  if (!(await storeSubscription(db, lease, owner, id, subscription)))
    throw new BillingBusyError('the lease ran out before the subscription was stored')
  if (JSON.stringify(before) !== JSON.stringify(subscription)) await tell(await readBeneficiaries(db, owner))
  return subscription
}

/** False for a customer that is nobody's here: of another product at the same account, or of somebody who is gone. */
export async function syncCustomer(billing: Billing, customerId: string): Promise<boolean> {
  const owner = (await readOwner(billing.db, customerId)) ?? (await adopt(billing, customerId))
  if (!owner) return false
  await syncOwner(billing, owner)
  return true
}

/** Stripe knows whose customer it is when we died between making it and writing it down. */
async function adopt({ stripe, db }: Billing, customerId: string): Promise<Owner | null> {
  const customer = await stripe.customers.retrieve(customerId).catch(nullWhenMissing)
  if (!customer || customer.deleted) return null
  const { userId, organizationId } = customer.metadata
  const owner: Owner | null = userId ? { kind: 'user', id: userId } : organizationId ? { kind: 'organization', id: organizationId } : null
  return owner && (await addCustomer(db, owner, customerId)) ? owner : null
}

/** Stripe has deleted the customer, and every subscription of theirs with it. */
export async function forgetCustomer(billing: Billing, customerId: string): Promise<void> {
  const owner = await readOwner(billing.db, customerId)
  if (!owner) return
  await withLease(billing, owner, () => removeCustomer(billing.db, owner, customerId))
  await billing.tell(await readBeneficiaries(billing.db, owner))
}
