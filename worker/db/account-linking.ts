/**
 * Links a guest to an account: every row of the guest gets the account as its owner, in one batch. If the account has another content database,
 * the guest's rows are copied there first and deleted afterwards. The first account that a guest was linked to keeps the guest's rows.
 *
 * The account's own settings win; a setting that still has its default takes the guest's value. The guest's usage of today is added.
 */
import { and, eq, exists, getTableName, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { maxPinnedModels } from '../contract/limits.ts'
import { defaultModelId, defaultPins } from '../contract/models/model-choice.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'
import { copyContent, deleteContent, forgottenContent, ownedContent } from './content-rows.ts'
import { readAccountOf } from './current-owner.ts'
import { addDailyUse, addUseByProject } from './model-use.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm, runBatch } from './shards.ts'
import { billingLease } from './tables/catalogue.ts'
import { invitation, member, teamMember } from './tables/organizations.ts'
import { linking } from './tables/sync.ts'
import { attachment, queuedMessage } from './tables/threads.ts'
import { contentUse, setting, usage } from './tables/user-content.ts'
import { rateLimit, user } from './tables/users.ts'
import { isSentAutomaticallySql } from './turn-endings.ts'
import { usageColumns, usageOfLedger } from './user-rows.ts'

export type Linking = { readonly guestId: string; readonly accountId: string }

/** The limits of the account's plan. An account that stores more takes no guest's threads or files. Null: not checked. */
export type AccountLimits = { readonly maxBytes: number; readonly maxRows: number; readonly maxFileBytes: number }

/** The owner's columns in the directory. If the account already has an equal row, the guest's row stays and is deleted with the guest. */
export const ownedDirectory = [member.userId, teamMember.userId, invitation.inviterId] as const

/** The settings of a user, with their defaults. */
const settings = {
  mode: defaultMode,
  theme: defaultTheme,
  language: null,
  nickname: null,
  biography: null,
  instructions: null,
  modelId: defaultModelId,
  dailyCreditLimit: null,
  monthlyCreditLimit: null,
} as const

/**
 * Links the guest, or completes an interrupted linking; every step is idempotent. True if the account now has queued messages that may
 * start automatically and that may be missing in the storage of its object.
 */
export async function linkGuest(
  env: DatabaseBindings,
  pair: Linking,
  nowMs: number,
  limits: AccountLimits | null = null,
): Promise<boolean> {
  const [source, target] = [contentDb(env, pair.guestId), contentDb(env, pair.accountId)]
  if (source === target) return linkInOneDatabase(env, target, pair, nowMs, limits)
  const accountId = await markElsewhere(env, pair, nowMs, limits)
  if (accountId !== pair.accountId) {
    // Another account was linked first and keeps the guest's rows.
    await linkGuest(env, { ...pair, accountId }, nowMs)
    return isStartable(target, pair)
  }
  await copyContent(source, target, pair.guestId)
  // The rows change their owner here in one batch, as within one database.
  const hasQueue = await linkInOneDatabase(env, target, pair, nowMs, null)
  await deleteContent(source, pair.guestId)
  await finish(source, pair.guestId, nowMs)
  return hasQueue
}

/** One batch if content and directory are in one database. Otherwise the guest, whose content is empty then, is deleted afterwards. */
async function linkInOneDatabase(
  env: DatabaseBindings,
  content: D1Database,
  pair: Linking,
  nowMs: number,
  limits: AccountLimits | null,
): Promise<boolean> {
  const directory = directoryDb(env)
  const isOne = content === directory
  const moves = moveContent(content, pair, nowMs, limits, isOne)
  const ends = moveDirectory(directory, pair)
  const results = await runBatch(content, [...moves, ...(isOne ? ends : []), startableQueued(content, pair)])
  if (!isOne) {
    await runBatch(directory, ends)
    await finish(content, pair.guestId, nowMs)
  }
  return results.at(-1)?.results.length === 1
}

/** For an account that was deleted before it received the guest's rows. The guest keeps them. */
export async function abandonLinking(env: DatabaseBindings, { guestId, accountId }: Linking): Promise<void> {
  const [source, target] = [contentDb(env, guestId), contentDb(env, accountId)]
  if (source !== target) await deleteContent(target, guestId)
  await orm(source).delete(linking).where(eq(linking.guestId, guestId))
}

const finish = (content: D1Database, guestId: string, nowMs: number) =>
  orm(content)
    .update(linking)
    .set({ finishedAt: nowMs })
    .where(and(eq(linking.guestId, guestId), isNull(linking.finishedAt)))

/**
 * After this row is inserted, guards refuse writes of the guest in the guest's database, and the linking must be completed. Returns the
 * account that the guest is linked to, which is the first one. The limits are checked before, because a marked guest cannot be unmarked.
 */
async function markElsewhere(env: DatabaseBindings, pair: Linking, nowMs: number, limits: AccountLimits | null): Promise<string> {
  const marked = await readAccountOf(env, pair.guestId)
  if (marked !== null) return marked
  if (limits !== null) await assertWithinLimits(env, pair, nowMs, limits)
  await orm(contentDb(env, pair.guestId))
    .insert(linking)
    .values({ ...pair, createdAt: nowMs, isElsewhere: true })
    .onConflictDoNothing()
  return (await readAccountOf(env, pair.guestId)) ?? pair.accountId
}

/** Inserts and deletes a row in one batch, so that the guards of `linking` check the limits. */
async function assertWithinLimits(env: DatabaseBindings, pair: Linking, nowMs: number, limits: AccountLimits): Promise<void> {
  const [guest] = await orm(contentDb(env, pair.guestId)).all<{ hasContent: number; hasFiles: number }>(
    sql`select ${hasContent(pair.guestId)} hasContent, ${hasFiles(pair.guestId)} hasFiles`,
  )
  const checked = {
    guestId: `${pair.guestId}?`,
    accountId: pair.accountId,
    createdAt: nowMs,
    ...(guest?.hasContent === 1 && { maxBytes: limits.maxBytes, maxRows: limits.maxRows }),
    ...(guest?.hasFiles === 1 && { maxFileBytes: limits.maxFileBytes }),
  }
  const target = contentDb(env, pair.accountId)
  const db = orm(target)
  await runBatch(target, [db.insert(linking).values(checked), db.delete(linking).where(eq(linking.guestId, checked.guestId))])
}

const hasContent = (userId: string) => sql`exists (select 1 from ${contentUse} where userId = ${userId} and rows > 0)`
const hasFiles = (userId: string) => sql`exists (select 1 from ${attachment} where userId = ${userId} and sizeBytes > 0)`

const isStartable = async (db: D1Database, pair: Linking): Promise<boolean> => (await startableQueued(db, pair)).length > 0

/** Messages with another hold wait for the user, who has to connect first, so they do not wake an object. */
const startableQueued = (db: D1Database, { accountId }: Linking) =>
  orm(db)
    .select({ id: queuedMessage.id })
    .from(queuedMessage)
    .where(and(eq(queuedMessage.userId, accountId), sql.raw(isSentAutomaticallySql)))
    .limit(1)

function moveContent(database: D1Database, pair: Linking, nowMs: number, limits: AccountLimits | null, isAll: boolean) {
  const { guestId, accountId } = pair
  const db = orm(database)
  const isLinked = exists(
    db
      .select({ found: sql`1` })
      .from(linking)
      .where(and(eq(linking.guestId, guestId), eq(linking.accountId, accountId))),
  )
  const ownAttachment = alias(attachment, 'own')
  const sentTwice = db
    .select({ found: sql`1` })
    .from(ownAttachment)
    .where(and(eq(ownAttachment.userId, accountId), eq(ownAttachment.uploadId, attachment.uploadId)))
  const alsoSet: { readonly [table: string]: object } = {
    // The limits of guests no longer apply.
    queuedMessage: { hold: sql`nullif(${queuedMessage.hold}, 'guest_limit_reached')` } satisfies SQLiteUpdateSetSource<
      typeof queuedMessage
    >,
    // A file uploaded as the guest and again as the account exists twice, and only one row keeps the upload id.
    attachment: {
      uploadId: sql`iif(${exists(sentTwice)}, ${attachment.id}, ${attachment.uploadId})`,
    } satisfies SQLiteUpdateSetSource<typeof attachment>,
  }
  const removeGuests = (table: typeof setting | typeof usage | typeof contentUse | (typeof forgottenContent)[number]) =>
    db.delete(table).where(and(eq(table.userId, guestId), isLinked))
  return [
    // Must run first, because the guards allow moving rows only with it.
    db
      .insert(linking)
      .values({ ...pair, ...limitsOf(guestId, limits), createdAt: nowMs, finishedAt: isAll ? nowMs : null })
      .onConflictDoNothing(),
    ...ownedContent.map((table) =>
      db
        .update(table)
        .set({ userId: accountId, ...alsoSet[getTableName(table)] })
        .where(and(eq(table.userId, guestId), isLinked)),
    ),
    mergeSettings(database, pair, isLinked),
    removeGuests(setting),
    countUsage(accountId, isLinked),
    removeGuests(usage),
    mergeForks(database, pair, isLinked),
    removeGuests(contentUse),
    addDailyUse(guestId, accountId, isLinked),
    addUseByProject(guestId, accountId, isLinked),
    ...forgottenContent.map(removeGuests),
  ]
}

/** A limit is checked only if the guest has something that counts towards it. */
const limitsOf = (guestId: string, limits: AccountLimits | null) =>
  limits && {
    maxBytes: sql`iif(${hasContent(guestId)}, ${limits.maxBytes}, null)`,
    maxRows: sql`iif(${hasContent(guestId)}, ${limits.maxRows}, null)`,
    maxFileBytes: sql`iif(${hasFiles(guestId)}, ${limits.maxFileBytes}, null)`,
  }

function moveDirectory(database: D1Database, { guestId, accountId }: Linking) {
  return [
    ...ownedDirectory.map(
      (owner) => sql`update or ignore ${owner.table} set ${sql.identifier(owner.name)} = ${accountId} where ${owner} = ${guestId}`,
    ),
    ...deleteKeyedRows(database, guestId),
    // Deletes the guest's sessions as well.
    orm(database)
      .delete(user)
      .where(and(eq(user.id, guestId), eq(user.isAnonymous, true))),
  ]
}

/** Leases and counters whose key contains the user's id: of payments, exports and directory writes. */
export const deleteKeyedRows = (database: D1Database, userId: string) => [
  orm(database)
    .delete(billingLease)
    .where(inArray(billingLease.id, [`user:${userId}`, `export:${userId}`, `copy:${userId}`])),
  orm(database)
    .delete(rateLimit)
    .where(inArray(rateLimit.key, [`writes:${userId}`, `export:${userId}`])),
]

function mergeSettings(database: D1Database, { guestId, accountId }: Linking, isLinked: SQL) {
  const guest = alias(setting, 'guest')
  const merged = Object.entries(settings).map(([name, untouched]) => {
    const column = name as keyof typeof settings
    return [column, sql`iif(${setting[column]} is ${untouched}, ${guest[column]}, ${setting[column]})`]
  })
  const [pins, guestPins, untouchedPins] = [setting.pinnedModels, guest.pinnedModels, sql.param(defaultPins, setting.pinnedModels)]
  return orm(database)
    .update(setting)
    .set({
      ...Object.fromEntries(merged),
      // The account's pins in their order, then the guest's other pins.
      pinnedModels: sql`case
        when ${guestPins} is null or ${guestPins} = ${untouchedPins} then ${pins}
        when ${pins} is null or ${pins} = ${untouchedPins} then ${guestPins}
        else (select json_group_array(pin) from (
          select value pin, 0 part, key position from json_each(${pins})
          union all
          select value, 1, key from json_each(${guestPins}) where value not in (select value from json_each(${pins}))
          order by part, position limit ${maxPinnedModels}
        )) end`,
    })
    .from(guest)
    .where(and(eq(setting.userId, accountId), eq(guest.userId, guestId), isLinked))
}

/** The ledger has moved; usage is the sum of its newest day and of the month of that day. */
const countUsage = (accountId: string, isLinked: SQL) =>
  sql`insert into ${usage} (${usageColumns})
    select * from (${usageOfLedger(accountId)}) where day is not null and ${isLinked}
    on conflict (userId) do update set
      credits = excluded.credits, search = excluded.search, research = excluded.research, day = excluded.day,
      monthStart = excluded.monthStart, monthCredits = excluded.monthCredits
      where day is null or day <= excluded.day`

/** Adds the forks if both counts are of the same day, else keeps those of the later day. */
function mergeForks(database: D1Database, { guestId, accountId }: Linking, isLinked: SQL) {
  const guest = alias(contentUse, 'guest')
  const ofSameDay = sql`iif(${guest.forkDay} = ${contentUse.forkDay}, ${contentUse.forks}, 0)`
  return orm(database)
    .update(contentUse)
    .set({
      forks: sql`iif(${guest.forkDay} < ${contentUse.forkDay}, ${contentUse.forks}, ${guest.forks} + ${ofSameDay})`,
      forkDay: sql`max(${contentUse.forkDay}, ${guest.forkDay})`,
      maxForks: null,
    })
    .from(guest)
    .where(and(eq(contentUse.userId, accountId), eq(guest.userId, guestId), isLinked))
}
