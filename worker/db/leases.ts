/**
 * Leases in D1: one holder per id, across isolates. Used for requests to Stripe about one customer and for exports of one user. After a lease
 * expires another holder may take it; the fence, which each new holder increments, makes writes of the earlier holder fail.
 */
import { and, eq, exists, gt, lte, sql } from 'drizzle-orm'
import { orm } from './shards.ts'
import { billingLease } from './tables/catalogue.ts'

export type Lease = { readonly id: string; readonly fence: number }

/** Null while the lease is held. */
export async function takeLease(db: D1Database, id: string, nowMs: number, forMs: number): Promise<Lease | null> {
  const untilMs = nowMs + forMs
  const [taken] = await orm(db)
    .insert(billingLease)
    .values({ id, fence: 1, untilMs })
    .onConflictDoUpdate({
      target: billingLease.id,
      set: { fence: sql`${billingLease.fence} + 1`, untilMs },
      setWhere: lte(billingLease.untilMs, nowMs),
    })
    .returning({ id: billingLease.id, fence: billingLease.fence })
  return taken ?? null
}

const isNewest = ({ id, fence }: Lease) => and(eq(billingLease.id, id), eq(billingLease.fence, fence))

/** A query that runs when it is awaited, or in a batch. Returns a row if this lease was the newest. */
export const releaseLease = (db: D1Database, lease: Lease) =>
  orm(db).update(billingLease).set({ untilMs: 0 }).where(isNewest(lease)).returning({ id: billingLease.id })

/** False when the lease was released, or another holder has taken it. */
export async function extendLease(db: D1Database, lease: Lease, untilMs: number): Promise<boolean> {
  const isUnreleased = gt(billingLease.untilMs, 0)
  const extended = await orm(db)
    .update(billingLease)
    .set({ untilMs })
    .where(and(isNewest(lease), isUnreleased))
    .returning({ id: billingLease.id })
  return extended.length > 0
}

export async function leaseEndsMs(db: D1Database, id: string): Promise<number> {
  const [lease] = await orm(db).select({ untilMs: billingLease.untilMs }).from(billingLease).where(eq(billingLease.id, id))
  return lease?.untilMs ?? 0
}

/** A condition: the lease has no newer holder. */
export const isHeld = (db: D1Database, lease: Lease) => exists(orm(db).select({ found: sql`1` }).from(billingLease).where(isNewest(lease)))
