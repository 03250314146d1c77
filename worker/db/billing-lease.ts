/**
 * One conversation at a time with the payment company about one customer. D1 decides who holds it, because two requests may run on two
 * machines. The fence makes a holder that outlived its time harmless: its write names a number that is no longer the newest.
 */
export type Lease = { readonly id: string; readonly fence: number }

/** Null while somebody else holds it. */
export async function takeLease(db: D1Database, id: string, nowMs: number, forMs: number): Promise<Lease | null> {
  const fence = await db
    .prepare(
      `insert into billingLease (id, fence, untilMs) values (?1, 1, ?3)
         on conflict (id) do update set fence = fence + 1, untilMs = ?3 where untilMs <= ?2
         returning fence`,
    )
    .bind(id, nowMs, nowMs + forMs)
    .first<number>('fence')
  return fence === null ? null : { id, fence }
}

export const releaseStatement = (db: D1Database, { id, fence }: Lease): D1PreparedStatement =>
  db.prepare('update billingLease set untilMs = 0 where id = ? and fence = ? returning id').bind(id, fence)

/** A condition of SQL: the lease bound as `?1` and `?2` is still the newest. */
export const isHeldSql = 'exists (select 1 from billingLease where id = ?1 and fence = ?2)'
