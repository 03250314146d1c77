/**
 * The rows that every user has: setting and usage, with the user's id. Idempotent; a lost usage row is rebuilt from the ledger. A guest
 * also gets the row of its network. An account also gets the usage of that day of a deleted account with the same e-mail address.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import { defaultModelId, defaultPins } from '../contract/models/model-choice.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'
import { addGuestNetworks, type GuestNetworks, restoreCounts, restoreUse, type UsedBefore } from './day-use.ts'
import { orm, runBatch } from './shards.ts'
import { creditLedger, setting, usage } from './tables/user-content.ts'

/** Earlier usage that counts for the new user; see `auth/day-use-origin.ts`. */
export type UsageSource = GuestNetworks | { readonly usedBefore: UsedBefore; readonly nowMs: number }

export async function ensureUserRows(database: D1Database, userId: string, source: UsageSource | null = null): Promise<void> {
  const usedBefore = source && 'usedBefore' in source ? source.usedBefore : null
  await runBatch(database, [
    ...(usedBefore && usedBefore.forks + usedBefore.mutations > 0 ? [restoreCounts(database, userId, usedBefore)] : []),
    orm(database)
      .insert(setting)
      .values({ id: userId, userId, mode: defaultMode, theme: defaultTheme, modelId: defaultModelId, pinnedModels: defaultPins })
      .onConflictDoNothing(),
    sql`insert into ${usage} (${usageColumns}) ${usageOfLedger(userId)} where true on conflict do nothing`,
    ...(source === null ? [] : sourceQueries(database, userId, source)),
  ])
}

export const usageColumns = sql.raw(
  'id, userId, credits, search, research, day, monthStart, monthCredits, dailyCreditLimit, monthlyCreditLimit',
)

/** A row: the sums of the ledger for its newest day and for the month of that day, and the limits of the user. Without a ledger, `day` is null. */
export const usageOfLedger = (userId: string): SQL =>
  sql`select ${userId} id, ${userId} userId,
      coalesce(sum(iif(day = newest, credits, 0)), 0) credits, coalesce(sum(iif(day = newest, search, 0)), 0) search,
      coalesce(sum(iif(day = newest, research, 0)), 0) research, newest day, first monthStart, coalesce(sum(credits), 0) monthCredits,
      (select dailyCreditLimit from ${setting} where userId = ${userId}) dailyCreditLimit,
      (select monthlyCreditLimit from ${setting} where userId = ${userId}) monthlyCreditLimit
    from (
      select newest, unixepoch(newest * 86400, 'unixepoch', 'start of month') / 86400 first
        from (select max(day) newest from ${creditLedger} where userId = ${userId})
    ) left join ${creditLedger} on userId = ${userId} and day >= first`

const sourceQueries = (database: D1Database, userId: string, source: UsageSource) =>
  'network' in source ? addGuestNetworks(database, userId, source) : [restoreUse(database, userId, source.usedBefore, source.nowMs)]

export const hasUsage = async (database: D1Database, userId: string): Promise<boolean> =>
  (await orm(database).$count(usage, eq(usage.userId, userId))) > 0
