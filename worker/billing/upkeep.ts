/**
 * Scheduled and triggered maintenance of subscriptions: seats follow members, missed events are made up for, and deleting an account
 * cancels its subscriptions.
 */

import type { Env } from '../bindings.ts'
import { countMembers, type Owner, readCustomer, readOverdue, readUnevenSeats } from '../db/customers.ts'
import { logger } from '../lib/logger.ts'
import { readSettings } from '../settings.ts'
import { type Billing, billingFor, nullWhenMissing } from './billing.ts'
import { withLease } from './lease.ts'
import { listSubscriptions, syncOwner, syncWithLease } from './subscription.ts'

const customersPerRun = 50

/**
 * Reloads subscriptions whose period should have ended, at most 50 per run. Idempotent; a missed run only delays. Returns how many
 * succeeded.
 */
export async function refreshOverdue(billing: Billing): Promise<number> {
  return runEach(await readOverdue(billing.db, billing.clock(), customersPerRun), (owner) => syncOwner(billing, owner))
}

export async function updateUnevenSeats(billing: Billing): Promise<number> {
  return runEach(await readUnevenSeats(billing.db, customersPerRun), (organizationId) => updateSeats(billing, organizationId))
}

async function runEach<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<number> {
  let done = 0
  for (const item of items) {
    try {
      await run(item)
      done += 1
    } catch (error) {
      // The next run retries this item; the others continue.
      logger.error('subscription_not_refreshed', error)
    }
  }
  return done
}

/**
 * Sets the paid seats of an organization to its number of members. Added seats are invoiced at once: with prorations on the next invoice,
 * members who leave before it, or a cancelled subscription, would never pay. Removed seats are credited on the next invoice.
 */
export async function updateSeats(billing: Billing, organizationId: string): Promise<void> {
  const owner: Owner = { kind: 'organization', id: organizationId }
  // Most organizations have no customer; skip the lease for them.
  if (!(await readCustomer(billing.db, owner))) return
  await withLease(billing, owner, async (lease) => {
    const customer = await readCustomer(billing.db, owner)
    if (!customer) return
    const seats = Math.max(1, await countMembers(billing.db, organizationId))
    for (const { id, status, items } of await listSubscriptions(billing.stripe, customer.id)) {
      const [item] = items.data
      if (!['active', 'trialing', 'past_due'].includes(status) || !item || item.quantity === seats) continue
      const isMore = seats > (item.quantity ?? 0)
      await billing.stripe.subscriptions.update(id, {
        items: [{ id: item.id, quantity: seats }],
        proration_behavior: isMore ? 'always_invoice' : 'create_prorations',
      })
    }
    await syncWithLease(billing, lease, owner, customer)
  })
}

/** Called after a change of an organization's members. Logs failures without throwing; the scheduled handler repairs them. */
export async function followSeatsOf(env: Env, organizationId: string): Promise<void> {
  const billing = billingOf(env)
  if (!billing) return
  await updateSeats(billing, organizationId).catch((error: unknown) => logger.error('seats_not_followed', error))
}

/**
 * Called before an account or an organization is deleted: deletes its customer at Stripe, which cancels its subscriptions immediately.
 * Throws if Stripe fails.
 */
export async function cancelSubscriptionsOf(env: Env, owner: Owner): Promise<void> {
  const billing = billingOf(env)
  if (billing) await endCustomer(billing, owner)
}

/** Idempotent: a customer that Stripe no longer has counts as deleted. */
export function endCustomer(billing: Billing, owner: Owner): Promise<void> {
  return withLease(billing, owner, async () => {
    const customer = await readCustomer(billing.db, owner)
    if (customer) await billing.stripe.customers.del(customer.id).catch(nullWhenMissing)
  })
}

function billingOf(env: Env): Billing | null {
  const result = readSettings(env)
  return result.ok ? billingFor(env, result.settings) : null
}
