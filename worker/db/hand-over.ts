/**
 * A guest becomes an account: every row the guest owns gets another owner, in one batch, so it has happened or it has not. Which tables
 * those are is data; whoever adds a table with an owner adds it here. Safe to repeat: the first account that took a guest keeps it.
 *
 * The account's own choices win; what it never chose yields to what the guest chose. What the guest spent today counts as the account's.
 */
import { maxPinnedModels } from '../contract/limits.ts'
import { defaultModelId, defaultPins } from '../contract/model-choice.ts'
import { defaultMode, defaultTheme } from '../contract/themes.ts'
import { beginsItselfSql } from './queued.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'

export type HandOver = { readonly guestId: string; readonly accountId: string }

/** Content by its owner's column `userId`; threads before what stands in them, as their guards demand. */
export const ownedContent = ['thread', 'message', 'queuedMessage', 'generation', 'creditLedger', 'attachment'] as const
/** What the sync protocol remembers of the guest's browsers: theirs begin anew as the account's. */
export const forgottenContent = ['clientProgress', 'mutationResult'] as const
/** Of the directory, by the column that names the owner. Where the account has the like already, the guest's goes with the guest. */
export const ownedDirectory = [
  { table: 'member', column: 'userId' },
  { table: 'teamMember', column: 'userId' },
  { table: 'invitation', column: 'inviterId' },
] as const

/** A person's choices, with the value that means "never chosen". */
const settings: { readonly [column: string]: string | null } = {
  mode: defaultMode,
  theme: defaultTheme,
  nickname: null,
  biography: null,
  instructions: null,
  modelId: defaultModelId,
}

/** Who a turn of this person belongs to now, in SQL. */
export const ownerSql = (userId: string): string => `coalesce((select accountId from handover where guestId = ${userId}), ${userId})`

/** The account that a guest has become, or null. */
export async function readAccountOf(env: DatabaseBindings, guestId: string): Promise<string | null> {
  return contentDb(env, guestId).prepare('select accountId from handover where guestId = ?').bind(guestId).first<string>('accountId')
}

/** A person nobody knows is none. */
export const readIsGuest = async (directory: D1Database, userId: string): Promise<boolean> =>
  (await directory.prepare('select isAnonymous from user where id = ?').bind(userId).first<number>('isAnonymous')) === 1

/**
 * While both groups live in one database this is one batch; otherwise the content moves first, and the guest, then without any, goes after it.
 * True when the account has queued messages now that may begin by themselves, and its object may not know of them.
 */
export async function handOver(env: DatabaseBindings, pair: HandOver, nowMs: number): Promise<boolean> {
  const [content, directory] = [contentDb(env, pair.accountId), directoryDb(env)]
  const [moves, ends] = [contentStatements(content, pair, nowMs), directoryStatements(directory, pair)]
  const isOne = content === directory
  const results = await content.batch<{ id: string }>([...moves, ...(isOne ? ends : []), queuedStatement(content, pair)])
  if (!isOne) await directory.batch(ends)
  return results.at(-1)?.results.length === 1
}

/** What a person has to let go of first is no reason to wake an object: they have to connect for that. */
const queuedStatement = (db: D1Database, { accountId }: HandOver): D1PreparedStatement =>
  db.prepare(`select id from queuedMessage where userId = ? and ${beginsItselfSql} limit 1`).bind(accountId)

/** An upload that the browser sent once as the guest and again as the account is two files, and one of them has the name. */
const alsoSet: { readonly [table: string]: string } = {
  attachment:
    ', uploadId = iif(exists (select 1 from attachment own where own.userId = ?2 and own.uploadId = attachment.uploadId), id, uploadId)',
}

/** ?1 is the guest and ?2 the account, everywhere. */
const isTheirs = 'exists (select 1 from handover where guestId = ?1 and accountId = ?2)'

export function contentStatements(db: D1Database, { guestId, accountId }: HandOver, nowMs: number): D1PreparedStatement[] {
  const both = (sql: string) => db.prepare(sql).bind(guestId, accountId)
  return [
    // First: the guards let nothing move without it.
    db
      .prepare('insert into handover (guestId, accountId, createdAt) values (?1, ?2, ?3) on conflict do nothing')
      .bind(guestId, accountId, nowMs),
    ...ownedContent.map((table) => both(`update ${table} set userId = ?2${alsoSet[table] ?? ''} where userId = ?1 and ${isTheirs}`)),
    mergeSettings(db, guestId, accountId),
    both(`delete from setting where userId = ?1 and ${isTheirs}`),
    both(countUsage),
    both(`delete from usage where userId = ?1 and ${isTheirs}`),
    ...forgottenContent.map((table) => both(`delete from ${table} where userId = ?1 and ${isTheirs}`)),
  ]
}

export function directoryStatements(db: D1Database, { guestId, accountId }: HandOver): D1PreparedStatement[] {
  return [
    ...ownedDirectory.map(({ table, column }) =>
      db.prepare(`update or ignore ${table} set ${column} = ?2 where ${column} = ?1`).bind(guestId, accountId),
    ),
    // Takes the guest's sessions along: nobody is signed in as the guest any more.
    db.prepare('delete from user where id = ?1 and isAnonymous = 1').bind(guestId),
  ]
}

function mergeSettings(db: D1Database, guestId: string, accountId: string): D1PreparedStatement {
  const columns = Object.entries(settings)
  const choices = columns.map(([column], i) => `${column} = iif(setting.${column} is ?${i + 5}, guest.${column}, setting.${column})`)
  return db
    .prepare(
      `update setting set ${choices.join(', ')}, pinnedModels = ${pinsSql}
       from setting guest where setting.userId = ?2 and guest.userId = ?1 and ${isTheirs}`,
    )
    .bind(guestId, accountId, JSON.stringify(defaultPins), maxPinnedModels, ...columns.map(([, untouched]) => untouched))
}

/** The account's pins in their order, then the guest's own. ?3 is what everybody has at first, ?4 how many there may be. */
const pinsSql = `case
  when guest.pinnedModels is null or guest.pinnedModels = ?3 then setting.pinnedModels
  when setting.pinnedModels is null or setting.pinnedModels = ?3 then guest.pinnedModels
  else (select json_group_array(pin) from (
    select value pin, 0 part, key place from json_each(setting.pinnedModels)
    union all
    select value, 1, key from json_each(guest.pinnedModels) where value not in (select value from json_each(setting.pinnedModels))
    order by part, place limit ?4
  )) end`

/** The ledger has moved; usage is its projection for the newest day in it. */
const countUsage = `insert into usage (id, userId, credits, search, research, day)
  select ?2, ?2, sum(credits), sum(search), sum(research), day from creditLedger
    where userId = ?2 and day = (select max(day) from creditLedger where userId = ?2) and ${isTheirs} group by day
  on conflict (userId) do update set
    credits = excluded.credits, search = excluded.search, research = excluded.research, day = excluded.day
    where day is null or day <= excluded.day`
