/**
 * Usage of a UTC day that outlives its user: credits of guests per network (kept by the triggers of `creditLedger`), and usage of a deleted
 * account per e-mail address. Networks and addresses are stored as keyed digests.
 */
import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { contentDb, type DatabaseBindings, directoryDb, orm } from './shards.ts'
import {
  contentUse,
  creditLedger,
  guestNetwork,
  guestReservation,
  guestUse,
  guestWideNetwork,
  guestWideUse,
  usage,
} from './tables/user-content.ts'
import { usedBefore, user } from './tables/users.ts'

/** Keyed digest of a deleted account's e-mail address, valid for one UTC day. */
export type DayEmailDigest = { readonly digest: string; readonly day: number }

/** Null for guests, and if the user does not exist. */
export async function readAccountEmail(env: DatabaseBindings, userId: string): Promise<string | null> {
  const [account] = await orm(directoryDb(env))
    .select({ email: user.email, isAnonymous: user.isAnonymous })
    .from(user)
    .where(eq(user.id, userId))
  return account && !account.isAnonymous ? account.email : null
}

type Used = Pick<typeof usedBefore.$inferSelect, 'credits' | 'search' | 'research' | 'unpaid' | 'forks' | 'mutations'>

/** What an account used on one day before it was deleted. */
export type UsedBefore = Used & { readonly day: number }

/**
 * Runs before the usage is deleted. Stored in the directory, because the same address may get another content database. Reserved credits
 * count as used, because the turn cannot end any more.
 */
export async function saveUse(env: DatabaseBindings, userId: string, { digest, day }: DayEmailDigest): Promise<void> {
  const [used] = await orm(contentDb(env, userId)).all<Used>(
    sql`select iif(isToday, coalesce(credits, 0), 0) credits, iif(isToday, coalesce(search, 0), 0) search,
        iif(isToday, coalesce(research, 0), 0) research,
        (select coalesce(sum(unpaid), 0) from ${creditLedger} where userId = ${userId} and day = ${day} and unpaid > 0) unpaid, forks, mutations
      from (
        select credits, search, research, day is ${day} isToday,
          coalesce((select forks from ${contentUse} where userId = ${userId} and forkDay = ${day}), 0) forks,
          coalesce((select mutations from ${contentUse} where userId = ${userId} and mutationDay = ${day}), 0) mutations
        from ${usage} where userId = ${userId}
      )
      where isToday or forks > 0 or mutations > 0`,
  )
  if (!used) return
  const most = (name: keyof Used) => sql.raw(`max(${name}, excluded.${name})`)
  await orm(directoryDb(env))
    .insert(usedBefore)
    .values({ address: digest, day, ...used })
    .onConflictDoUpdate({
      target: usedBefore.address,
      set: {
        ...{ credits: most('credits'), search: most('search'), research: most('research') },
        ...{ unpaid: most('unpaid'), forks: most('forks'), mutations: most('mutations') },
      },
    })
}

/** The row stays until the end of the day, so that a sign-in during the deletion does not consume it. */
export async function readUsedBefore(env: DatabaseBindings, { digest, day }: DayEmailDigest): Promise<UsedBefore | null> {
  const [used] = await orm(directoryDb(env))
    .select()
    .from(usedBefore)
    .where(and(eq(usedBefore.address, digest), eq(usedBefore.day, day)))
  return used ?? null
}

/** One reservation without a turn and without a limit, so that usage stays the sum of the ledger. */
export function restoreUse(database: D1Database, userId: string, { day, credits, search, research, unpaid }: UsedBefore, nowMs: number) {
  const generationId = `used-before:${userId}:${day}`
  return orm(database)
    .insert(creditLedger)
    .values({
      ...{ id: `${generationId}:reserve`, userId, generationId, kind: 'reserve', day, createdAt: nowMs },
      ...{ credits, search, research, unpaid },
    })
    .onConflictDoNothing()
}

/** Runs before the usage row is inserted, whose trigger copies the counts. A user with content keeps the own counts. */
export const restoreCounts = (database: D1Database, userId: string, { forks, mutations, day }: UsedBefore) =>
  orm(database).insert(contentUse).values({ userId, forks, forkDay: day, mutations, mutationDay: day }).onConflictDoNothing()

/** Keyed digests of the network that a guest was created from, and of the wider networks that contain it. */
export type GuestNetworks = {
  readonly network: string
  readonly wide: readonly Pick<typeof guestWideNetwork.$inferInsert, 'size' | 'wide'>[]
}

export const addGuestNetworks = (db: D1Database, userId: string, { network, wide }: GuestNetworks) => [
  orm(db).insert(guestNetwork).values({ userId, network }).onConflictDoNothing(),
  ...wide.map((row) =>
    orm(db)
      .insert(guestWideNetwork)
      .values({ network, ...row })
      .onConflictDoNothing(),
  ),
]

/** Chosen: rows that one run of the job deletes. The job runs 288 times a day, and a day has at most 20,000 guest reservations. */
const sliceRows = 5000

/** Of any database. Guest counters stay one day longer, because a turn may end after midnight. */
export async function pruneDayUse(database: D1Database, today: number): Promise<number> {
  const db = orm(database)
  const rowid = sql`rowid`
  const expired = db
    .select({ rowid })
    .from(guestReservation)
    .where(lt(guestReservation.day, today - 1))
    .limit(sliceRows)
  const results = await db.batch([
    db.delete(usedBefore).where(lt(usedBefore.day, today)),
    db.delete(guestUse).where(lt(guestUse.day, today - 1)),
    db.delete(guestWideUse).where(lt(guestWideUse.day, today - 1)),
    db.delete(guestReservation).where(inArray(rowid, expired)),
  ])
  return results.reduce((sum, { meta }) => sum + meta.changes, 0)
}
