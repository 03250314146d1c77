/** Who owns the rows of a user now: the account, if the user was a guest when the work began and has been linked meanwhile. */
import { and, eq, sql } from 'drizzle-orm'
import { contentDb, type DatabaseBindings, orm } from './shards.ts'
import { linking } from './tables/sync.ts'
import { user } from './tables/users.ts'

/** The current owner of a user's turns: the account if the user was a guest and has been linked. */
export const ownerOf = (userId: string) =>
  sql<string>`coalesce((select ${linking.accountId} from ${linking} where ${linking.guestId} = ${userId}), ${userId})`

/** `ownerOf` for statements that are not built by Drizzle. */
export const ownerSql = (userId: string): string => `coalesce((select accountId from linking where guestId = ${userId}), ${userId})`

/** The account that a guest was linked to, or null. */
export async function readAccountOf(env: DatabaseBindings, guestId: string): Promise<string | null> {
  const [found] = await orm(contentDb(env, guestId))
    .select({ accountId: linking.accountId })
    .from(linking)
    .where(eq(linking.guestId, guestId))
  return found?.accountId ?? null
}

/**
 * Runs `work` for a user who may have been a guest when the work began. If it finds nothing and the guest is linked to an account with another
 * content database, `work` runs for the account. Throws while the rows are being moved; the caller tries again.
 */
export async function withOwner<T>(
  env: DatabaseBindings,
  userId: string,
  work: (content: D1Database, userId: string) => Promise<T | null>,
): Promise<T | null> {
  const content = contentDb(env, userId)
  const found = await work(content, userId)
  if (found !== null) return found
  const [elsewhere] = await orm(content)
    .select({ accountId: linking.accountId })
    .from(linking)
    .where(and(eq(linking.guestId, userId), eq(linking.isElsewhere, true)))
  if (!elsewhere) return null
  const target = contentDb(env, elsewhere.accountId)
  if ((await orm(target).$count(linking, eq(linking.guestId, userId))) === 0) throw new Error('the rows of the guest are being moved')
  return work(target, elsewhere.accountId)
}

/** False if the user does not exist. */
export const readIsGuest = async (directory: D1Database, userId: string): Promise<boolean> =>
  (await orm(directory).$count(user, and(eq(user.id, userId), eq(user.isAnonymous, true)))) > 0
