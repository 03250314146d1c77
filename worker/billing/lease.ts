/** Runs Stripe requests about one owner under the owner's lease (worker/db/leases.ts). */

import type { Owner } from '../db/customers.ts'
import { type Lease, releaseLease, takeLease } from '../db/leases.ts'
import { logger } from '../lib/logger.ts'
import type { Billing } from './billing.ts'

/** Another request holds the owner's lease for too long. The caller retries; Stripe retries its webhooks automatically. */
export class BillingBusyError extends Error {
  override name = 'BillingBusyError'
}

/** Chosen: longer than all retries of the SDK together, so that a lease rarely expires while its holder still works. */
const leaseMs = 40_000
/** Chosen: below the 10 s that Stripe waits for a webhook response. */
const maxWaitMs = 8_000
const firstPauseMs = 20
const longestPauseMs = 300

export async function withLease<T>(
  { db, clock }: Pick<Billing, 'db' | 'clock'>,
  { kind, id }: Owner,
  run: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await waitForLease(db, `${kind}:${id}`, clock)
  try {
    return await run(lease)
  } finally {
    // A caller that stored a subscription has released the lease already. A lease that cannot be released expires.
    await releaseLease(db, lease).catch((error: unknown) =>
      logger.warn('billing_lease_kept', { reason: error instanceof Error ? error.name : 'unknown' }),
    )
  }
}

async function waitForLease(db: D1Database, id: string, clock: () => number): Promise<Lease> {
  const startedMs = Date.now()
  for (let pauseMs = firstPauseMs; Date.now() - startedMs < maxWaitMs; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const lease = await takeLease(db, id, clock(), leaseMs)
    if (lease) return lease
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())))
  }
  throw new BillingBusyError('another request holds the lease of this customer')
}
