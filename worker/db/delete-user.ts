/**
 * Deletes all rows of a user. Content is deleted first, in slices, and the `user` row last. The feeds keep only ids, until they are pruned.
 */
import { and, eq, exists, gt, gte, inArray, ne, notExists, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { dayOf } from '../contract/access.ts'
import { logRetentionMs } from '../contract/limits.ts'
import { deleteKeyedRows } from './account-linking.ts'
import { deleteContent } from './content-rows.ts'
import { type DayEmailDigest, saveUse } from './day-use.ts'
import { addDailyUse } from './model-use.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm, runBatch } from './shards.ts'
import { billingLease } from './tables/catalogue.ts'
import { invitation, member, organization } from './tables/organizations.ts'
import { accountDeletion, linking } from './tables/sync.ts'
import { generation } from './tables/threads.ts'
import { creditLedger } from './tables/user-content.ts'
import { outbox, user, verification } from './tables/users.ts'
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
export async function removeUser(env: DatabaseBindings, userId: string): Promise<void> {
  const database = directoryDb(env)
  const db = orm(database)
  const [found] = await db.select({ email: user.email }).from(user).where(eq(user.id, userId))
  const leasesOfOrganizations = db
    .select({ id: sql`'organization:' || ${organization.id}` })
    .from(organization)
    .where(isAlone(database, userId))
  await runBatch(database, [
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
