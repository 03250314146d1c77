/** Holding an owner's lease while talking to Stripe about them; see worker/db/billing-lease.ts. */
import { type Lease, releaseLease, takeLease } from '../db/billing-lease.ts'
import type { Owner } from '../db/customers.ts'
import { logger } from '../lib/logger.ts'
import type { Billing } from './billing.ts'

/** Somebody else talks about this customer for too long. Whoever asked asks again; Stripe does so by itself. */
export class BillingBusyError extends Error {
  override name = 'BillingBusyError'
}

/** Longer than the SDK's own tries together, so that a lease seldom runs out under a living holder. */
const leaseMs = 40_000
/** Stripe waits ten seconds for an answer, and people less. */
const patienceMs = 8_000
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
    // Given back already by whoever stored something; what cannot be given back runs out.
    await releaseLease(db, lease).catch((error: unknown) =>
      logger.warn('billing_lease_kept', { reason: error instanceof Error ? error.name : 'unknown' }),
    )
  }
}

async function waitForLease(db: D1Database, id: string, clock: () => number): Promise<Lease> {
  const begunMs = Date.now()
  for (let pauseMs = firstPauseMs; Date.now() - begunMs < patienceMs; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const lease = await takeLease(db, id, clock(), leaseMs)
    if (lease) return lease
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())))
  }
  throw new BillingBusyError('another request is talking to Stripe about this customer')
}
