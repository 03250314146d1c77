/** Runs Stripe requests about one owner under the owner's lease (worker/db/leases.ts). The holder renews the lease while it works. */

import type { Owner } from '../db/customers.ts'
import { extendLease, type Lease, leaseEndsMs, releaseLease, takeLease } from '../db/leases.ts'
import { logger } from '../lib/logger.ts'
import type { Billing } from './billing.ts'

/** Another request works for this owner. The caller retries; Stripe retries its webhooks automatically. */
export class BillingBusyError extends Error {
  override name = 'BillingBusyError'
  readonly retryAfterS: number

  constructor(message: string, retryAfterMs = 0) {
    super(message)
    this.retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1000))
  }
}

/** Chosen: three renewals, so that a slow statement does not let it expire. A killed holder keeps others waiting for at most this long. */
const leaseMs = 6_000
const renewalMs = 2_000
/** Chosen: above `leaseMs`, so that a request after a killed one succeeds, and below the 10 s that Stripe waits for a webhook response. */
const maxWaitMs = 8_000
const firstPauseMs = 20
const longestPauseMs = 300

export async function withLease<T>(
  billing: Pick<Billing, 'db' | 'clock'>,
  { kind, id }: Owner,
  run: (lease: Lease) => Promise<T>,
): Promise<T> {
  const { db, clock } = billing
  const lease = await waitForLease(db, `${kind}:${id}`, clock)
  // A failed renewal is repeated; if all fail, the lease expires and the fence refuses the result.
  const renewal = setInterval(() => void renewLease(billing, lease).catch(() => undefined), renewalMs)
  try {
    return await run(lease)
  } finally {
    clearInterval(renewal)
    // A caller that stored a subscription has released the lease already. A lease that cannot be released expires.
    await releaseLease(db, lease).catch((error: unknown) =>
      logger.warn('billing_lease_kept', { reason: error instanceof Error ? error.name : 'unknown' }),
    )
  }
}

/** Throws if another request has taken the lease. Call it before a request to Stripe whose effect no fence refuses. */
export async function renewLease({ db, clock }: Pick<Billing, 'db' | 'clock'>, lease: Lease): Promise<void> {
  if (!(await extendLease(db, lease, clock() + leaseMs))) throw new BillingBusyError('another request has taken the lease')
}

async function waitForLease(db: D1Database, id: string, clock: () => number): Promise<Lease> {
  const startedMs = Date.now()
  for (let pauseMs = firstPauseMs; Date.now() - startedMs < maxWaitMs; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const lease = await takeLease(db, id, clock(), leaseMs)
    if (lease) return lease
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())))
  }
  throw new BillingBusyError('another request holds the lease of this customer', (await leaseEndsMs(db, id)) - clock())
}
