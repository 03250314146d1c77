/**
 * Makes the stored subscription equal to the one at Stripe. Triggers (webhook event, return from checkout, schedule) carry no data that is
 * stored, so they may arrive in any order, repeatedly, late or not at all.
 */
import type { Subscription } from '../contract/subscription.ts'
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
import type { Billing } from './billing.ts'
import { BillingBusyError, withLease } from './lease.ts'
import { nullWhenMissing } from './missing.ts'
import { currentSubscription } from './subscription.ts'

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
