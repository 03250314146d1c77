/** Queued messages in SQL: which of them nobody has to let go of first. */
import { dailyHolds } from '../contract/access.ts'

/** Of a row of `queuedMessage`: it begins by itself, now or when the day's limits have room. The reasons are ours, so they stand in the text. */
export const beginsItselfSql = `(hold is null or hold in (${dailyHolds.map((hold) => `'${hold}'`).join(', ')}))`
