/**
 * Limits what a user stores as threads and messages. Triggers keep `contentUse` exact for every writer. A user's write ends
 * with `checkContentStatement`, which rolls the batch back above the plan's limits. For a guest, it also adds what was stored since the last
 * check to the day's counts of the network and of all guests. The ending of an answer is not checked, so a running answer is always stored.
 */
import type { Plan } from '../contract/access.ts'
import { forksPerDay, storedContentBytes, storedContentRows } from '../contract/limits.ts'

export type ContentLimits = {
  readonly maxBytes: number
  readonly maxRows: number
  /** Only for a mutation that forks. `day` is in UTC days since the epoch. */
  readonly fork: { readonly day: number; readonly maxForks: number } | null
}

export const contentLimitsOf = (plan: Plan, forkDay: number | null): ContentLimits => ({
  maxBytes: storedContentBytes[plan],
  maxRows: storedContentRows[plan],
  fork: forkDay === null ? null : { day: forkDay, maxForks: forksPerDay[plan] },
})

/** The writes of a batch, with their messages counted once at the end instead of one by one. They must delete no message. */
export const countedOnce = (db: D1Database, userId: string, writes: readonly D1PreparedStatement[]): readonly D1PreparedStatement[] => [
  db
    .prepare(
      `insert into contentUse (userId, countFrom) values (?1, (select coalesce(max(rowid), 0) from message))
         on conflict (userId) do update set countFrom = excluded.countFrom`,
    )
    .bind(userId),
  ...writes,
  db.prepare('update contentUse set countFrom = null where userId = ?1').bind(userId),
]

/** Run after the writes of the mutation. A trigger aborts the batch with `content_full`, `guest_storage_reached` or `fork_limit_reached`. */
export function checkContentStatement(db: D1Database, userId: string, { maxBytes, maxRows, fork }: ContentLimits): D1PreparedStatement {
  const checked = 'maxBytes = ?2, maxRows = ?3, checkedBytes = bytes, checkedRows = rows'
  if (!fork) return db.prepare(`update contentUse set ${checked} where userId = ?1`).bind(userId, maxBytes, maxRows)
  // `forkDay` never decreases, so a slow clock cannot restart a day's count.
  return db
    .prepare(
      `update contentUse set ${checked}, maxForks = ?5,
         forks = iif(forkDay >= ?4, forks + 1, 1), forkDay = max(forkDay, ?4)
       where userId = ?1`,
    )
    .bind(userId, maxBytes, maxRows, fork.day, fork.maxForks)
}
