/**
 * Deletes all rows of a user. Content is deleted first, in slices, and the `user` row last. The feeds keep only ids, until they are pruned.
 * Also finds the idle guests to delete, and completes interrupted linkings.
 */
import { and, eq, exists, gt, gte, inArray, isNotNull, isNull, lt, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { dayOf } from '../contract/access.ts'
import { guestRetentionMs, logRetentionMs } from '../contract/limits.ts'
import { logger } from '../lib/logger.ts'
import { abandonLinking, deleteKeyedRows, linkGuest } from './account-linking.ts'
import { deleteContent } from './content-rows.ts'
import { type DayEmailDigest, saveUse } from './day-use.ts'
import { addDailyUse } from './model-use.ts'
import { contentDb, contentDbs, type DatabaseBindings, directoryDb, orm, runBatch } from './shards.ts'
import { billingLease } from './tables/catalogue.ts'
import { invitation, member, organization, organizationToolServerSecret } from './tables/organizations.ts'
import { accountDeletion, linking } from './tables/sync.ts'
import { generation } from './tables/threads.ts'
import { toolServerSecret } from './tables/tool-servers.ts'
import { creditLedger } from './tables/user-content.ts'
import { outbox, session, user, verification } from './tables/users.ts'
import { keepForRevocation } from './token-revocations.ts'
import type { TurnRef } from './turns.ts'

/** The running turns of this user. */
export const openTurnsOf = (env: DatabaseBindings, userId: string): Promise<TurnRef[]> =>
  orm(contentDb(env, userId))
    .select({ generationId: generation.id, objectId: generation.objectId })
    .from(generation)
    .where(and(eq(generation.userId, userId), eq(generation.status, 'open')))

/**
 * The turns of this user that may have stream readers: open, or ended at most `logRetentionMs` ago. The latter by the ledger, because `generation` has no index
 * for the newest turns of a user.
 */
export function readableTurnsOf(env: DatabaseBindings, userId: string, nowMs: number): Promise<TurnRef[]> {
  const db = orm(contentDb(env, userId))
  const newestTurns = db
    .select({ id: creditLedger.generationId })
    .from(creditLedger)
    .where(and(eq(creditLedger.userId, userId), gte(creditLedger.day, dayOf(nowMs) - 1)))
  return db
    .select({ generationId: generation.id, objectId: generation.objectId })
    .from(generation)
    .where(
      or(
        and(eq(generation.userId, userId), eq(generation.status, 'open')),
        and(inArray(generation.id, newestTurns), gt(generation.endedAt, nowMs - logRetentionMs)),
      ),
    )
}

/** `emailDigest`: set when an account is deleted; the usage of the day is saved under it. */
export async function removeContent(
  env: DatabaseBindings,
  userId: string,
  nowMs: number,
  emailDigest: DayEmailDigest | null = null,
): Promise<void> {
  const database = contentDb(env, userId)
  if (emailDigest !== null) await saveUse(env, userId, emailDigest)
  await deleteContent(database, userId, [
    // Turns of guests who were linked to this account must not store their answers any more.
    sql`insert into ${accountDeletion} (userId, startedAt) select guestId, ${nowMs} from ${linking} where accountId = ${userId}
      on conflict do nothing`,
    orm(database).delete(linking).where(eq(linking.accountId, userId)),
    keepForRevocation(toolServerSecret, eq(toolServerSecret.userId, userId), nowMs),
    // Costs of deleted users stay in the sums of each day.
    addDailyUse(userId, ''),
  ])
}

const own = alias(member, 'own')
const memberOf = (db: D1Database, organizationId: typeof organization.id | typeof own.organizationId, which: SQL | undefined) =>
  orm(db)
    .select({ found: sql`1` })
    .from(member)
    .where(and(eq(member.organizationId, organizationId), which))

/** Names of organizations that would have members but no owner without this user. */
export async function readOrphanedBy(env: DatabaseBindings, userId: string): Promise<string[]> {
  const db = directoryDb(env)
  const isOther = ne(member.userId, userId)
  const organizations = await orm(db)
    .select({ name: organization.name })
    .from(own)
    .innerJoin(organization, eq(organization.id, own.organizationId))
    .where(
      and(
        eq(own.userId, userId),
        sql`instr(${own.role}, 'owner') > 0`,
        exists(memberOf(db, own.organizationId, isOther)),
        notExists(memberOf(db, own.organizationId, and(isOther, sql`instr(${member.role}, 'owner') > 0`))),
      ),
    )
  return organizations.map(({ name }) => name)
}

/** A condition: the user is the only member of the organization. */
const isAlone = (db: D1Database, userId: string) =>
  and(
    inArray(organization.id, orm(db).select({ id: own.organizationId }).from(own).where(eq(own.userId, userId))),
    notExists(memberOf(db, organization.id, ne(member.userId, userId))),
  )

/** Ids of the organizations whose only member is this user. */
export async function readOrganizationsAlone(env: DatabaseBindings, userId: string): Promise<string[]> {
  const db = directoryDb(env)
  const organizations = await orm(db).select({ id: organization.id }).from(organization).where(isAlone(db, userId))
  return organizations.map(({ id }) => id)
}

/** Also deletes what cascades from the `user` row do not reach: empty organizations, invitations, codes, mail, leases and counters. */
export async function removeUser(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  const database = directoryDb(env)
  const db = orm(database)
  const [found] = await db.select({ email: user.email }).from(user).where(eq(user.id, userId))
  const leasesOfOrganizations = db
    .select({ id: sql`'organization:' || ${organization.id}` })
    .from(organization)
    .where(isAlone(database, userId))
  const organizationsAlone = db.select({ id: organization.id }).from(organization).where(isAlone(database, userId))
  await runBatch(database, [
    keepForRevocation(organizationToolServerSecret, inArray(organizationToolServerSecret.organizationId, organizationsAlone), nowMs),
    db.delete(billingLease).where(inArray(billingLease.id, leasesOfOrganizations)),
    db.delete(organization).where(isAlone(database, userId)),
    ...(found ? tracesOf(database, found.email) : []),
    ...deleteKeyedRows(database, userId),
    db.delete(user).where(eq(user.id, userId)),
  ])
}

function tracesOf(database: D1Database, email: string) {
  const db = orm(database)
  // The row of a link contains the address. The row of a code is named by it and compared whole: another address may end in this one.
  const isOfLink = sql`json_valid(${verification.value}) and ${verification.value} ->> 'email' = ${email}`
  return [
    db.delete(invitation).where(eq(invitation.email, email)),
    db.delete(verification).where(or(eq(verification.identifier, `sign-in-otp-${email}`), isOfLink)),
    db.delete(outbox).where(eq(outbox.recipient, email)),
  ]
}

/**
 * Accounts that are being deleted. The row is inserted before any deletion and cannot be taken back: the guards
 * (migrations/0009_linking_and_deletion.sql) refuse later requests of the account's clients, and the scheduled work completes the deletion. Writes that
 * were in flight may still arrive, so the deletion is repeated until none can.
 */
export async function beginAccountDeletion(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  await orm(contentDb(env, userId)).insert(accountDeletion).values({ userId, startedAt: nowMs }).onConflictDoNothing()
}

export const isBeingDeleted = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await orm(contentDb(env, userId)).$count(accountDeletion, eq(accountDeletion.userId, userId))) > 0

/** Chosen: longer than any request lasts that was in flight when the deletion began. */
export const lateRowsMs = 10 * 60 * 1000

/** Chosen: each takes a dozen statements. More than the guests removed per run, or the backlog would grow. */
const deletionsPerRun = 100

type Deletion = { readonly userId: string; readonly startedAt: number; readonly isLate: boolean }

/** `isLate`: no request that was in flight can still add rows. */
export async function readUnsettledDeletions(database: D1Database, nowMs: number): Promise<Deletion[]> {
  const rows = await orm(database)
    .select({ userId: accountDeletion.userId, startedAt: accountDeletion.startedAt })
    .from(accountDeletion)
    .where(isNull(accountDeletion.settledAt))
    .orderBy(accountDeletion.startedAt)
    .limit(deletionsPerRun)
  return rows.map((row) => ({ ...row, isLate: row.startedAt < nowMs - lateRowsMs }))
}

export async function settleDeletion(env: DatabaseBindings, userId: string, nowMs: number): Promise<void> {
  await orm(contentDb(env, userId)).update(accountDeletion).set({ settledAt: nowMs }).where(eq(accountDeletion.userId, userId))
}

export const userExists = async (env: DatabaseBindings, userId: string): Promise<boolean> =>
  (await orm(directoryDb(env)).$count(user, eq(user.id, userId))) > 0

/** After this time no token, turn or object's storage refers to the user, as after a linking. */
export async function pruneDeletions(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(accountDeletion)
    .where(and(isNotNull(accountDeletion.settledAt), lt(accountDeletion.startedAt, nowMs - guestRetentionMs)))
  return meta.changes
}

/** Chosen: each removes all rows of a user. */
const guestsPerRun = 50

/** A session updates its expiry, and `updatedAt` with it, on every day of use. */
export async function readIdleGuests(env: DatabaseBindings, nowMs: number): Promise<string[]> {
  const db = orm(directoryDb(env))
  const idleSince = new Date(nowMs - guestRetentionMs)
  const recentSession = db
    .select({ id: session.id })
    .from(session)
    .where(and(eq(session.userId, user.id), gte(session.updatedAt, idleSince)))
  const guests = await db
    .select({ id: user.id })
    .from(user)
    // The index user_guests serves the literal only, not a bound value.
    .where(and(sql`${user.isAnonymous} = 1`, lt(user.updatedAt, idleSince), notExists(recentSession)))
    .orderBy(user.updatedAt)
    .limit(guestsPerRun)
  return guests.map(({ id }) => id)
}

/** Chosen: each moves all rows of a guest. */
const linkingsPerRun = 50

/** A failed linking is retried by the next run and does not delay the others. */
export async function finishLinkings(env: DatabaseBindings, nowMs: number): Promise<number> {
  let finished = 0
  for (const database of contentDbs(env)) {
    const pairs = await orm(database)
      .select({ guestId: linking.guestId, accountId: linking.accountId, createdAt: linking.createdAt })
      .from(linking)
      .where(isNull(linking.finishedAt))
      .orderBy(linking.createdAt)
      .limit(linkingsPerRun)
    for (const { createdAt, ...pair } of pairs) {
      try {
        const isLate = createdAt < nowMs - lateRowsMs
        if (isLate && !(await userExists(env, pair.accountId))) await abandonLinking(env, pair)
        else await linkGuest(env, pair, nowMs)
        finished += 1
      } catch (error) {
        logger.error('linking_not_finished', error, pair)
      }
    }
  }
  return finished
}

/** After this time no token, turn or object's storage refers to the guest. */
export async function pruneLinkings(database: D1Database, nowMs: number): Promise<number> {
  const { meta } = await orm(database)
    .delete(linking)
    .where(and(isNotNull(linking.finishedAt), lt(linking.createdAt, nowMs - guestRetentionMs)))
  return meta.changes
}
