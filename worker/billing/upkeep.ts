/** What keeps subscriptions right without anybody asking: seats follow members, lost events are made up for, an end of an account is one here. */
import { countMembers, type Owner, readCustomer, readOverdue, readUnevenSeats } from '../db/customers.ts'
import type { Env } from '../env.ts'
import { readSettings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { type Billing, billingFor } from './billing.ts'
import { withLease } from './lease.ts'
import { nullWhenMissing } from './missing.ts'
import { listSubscriptions } from './subscription.ts'
import { syncOwner, syncUnder } from './sync-customer.ts'

const customersPerRun = 50

/** Asks Stripe about every period that should have ended. Safe to run twice, and not at all. */
export async function refreshOverdue(billing: Billing): Promise<number> {
  return each(await readOverdue(billing.db, billing.clock(), customersPerRun), (owner) => syncOwner(billing, owner))
}

export async function evenSeats(billing: Billing): Promise<number> {
  return each(await readUnevenSeats(billing.db, customersPerRun), (organizationId) => followSeats(billing, organizationId))
}

async function each<T>(items: readonly T[], look: (item: T) => Promise<unknown>): Promise<number> {
  let done = 0
  for (const item of items) {
    try {
      await look(item)
      done += 1
    } catch (error) {
      // The next run asks again; the others should not wait for this one.
      logger.error('subscription_not_refreshed', error)
    }
  }
  return done
}

/**
 * An organization pays for as many seats as it has members. One that grows pays the difference at once: put on the next invoice, it would be
 * months of seats for nothing, when the new ones leave before it or the subscription ends. Seats that go are credited on the next one.
 */
export async function followSeats(billing: Billing, organizationId: string): Promise<void> {
  const owner: Owner = { kind: 'organization', id: organizationId }
  // Most organizations pay for nothing, and nobody should wait for a lease to learn that.
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
    await syncUnder(billing, lease, owner, customer)
  })
}

/** For whoever changed an organization's members. A failure is repaired by the scheduled handler, so it fails nobody. */
export async function followSeatsOf(env: Env, organizationId: string): Promise<void> {
  const billing = billingOf(env)
  if (!billing) return
  await followSeats(billing, organizationId).catch((error: unknown) => logger.error('seats_not_followed', error))
}

/** Before an account or an organization is deleted: ends what it pays for, now, and has Stripe forget who it was. Throws when Stripe does not do so. */
export async function cancelSubscriptionsOf(env: Env, owner: Owner): Promise<void> {
  const billing = billingOf(env)
  if (billing) await endCustomer(billing, owner)
}

/** Safe to call again: a customer that Stripe has deleted already is as good as deleted now. */
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
