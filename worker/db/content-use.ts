/**
 * Limits what a user stores as threads and messages. Triggers keep `contentUse` exact for every writer. A user's write ends
 * with `checkContentStatement`, which rolls the batch back above the plan's limits. The ending of an answer is not checked, so a running
 * answer is always stored.
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

/** Run after the writes of the mutation. A trigger aborts the batch with `content_full` or `fork_limit_reached`. */
export function checkContentStatement(db: D1Database, userId: string, { maxBytes, maxRows, fork }: ContentLimits): D1PreparedStatement {
  if (!fork) return db.prepare('update contentUse set maxBytes = ?2, maxRows = ?3 where userId = ?1').bind(userId, maxBytes, maxRows)
  // `forkDay` never decreases, so a slow clock cannot restart a day's count.
  return db
    .prepare(
      `update contentUse set maxBytes = ?2, maxRows = ?3, maxForks = ?5,
         forks = iif(forkDay >= ?4, forks + 1, 1), forkDay = max(forkDay, ?4)
       where userId = ?1`,
    )
    .bind(userId, maxBytes, maxRows, fork.day, fork.maxForks)
}
