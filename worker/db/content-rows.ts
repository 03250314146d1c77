/**
 * All content rows of one user: their tables, how they are deleted, and how they are copied to another database. Both may be interrupted and
 * repeated. A new table with an owner belongs in one of the lists.
 */
import { eq, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import { orm, runBatch } from './shards.ts'
import { clientProgress, linking, mutationResult } from './tables/sync.ts'
import {
  approval,
  attachment,
  attachmentUse,
  draft,
  generation,
  message,
  project,
  prompt,
  queuedMessage,
  share,
  thread,
} from './tables/threads.ts'
import { contentUse, creditLedger, dailyModelUse, guestNetwork, modelRequest, setting, usage } from './tables/user-content.ts'

/** Content with a column `userId`. Threads come before their messages, as the guards demand. */
export const ownedContent = [
  thread,
  project,
  message,
  queuedMessage,
  share,
  prompt,
  draft,
  approval,
  generation,
  creditLedger,
  modelRequest,
  attachment,
] as const
/**
 * Deleted with the guest: sync progress of the guest's browsers, which start again as the account's, the network of the guest, and the daily
 * sums, which are added to the account's before.
 */
export const forgottenContent = [clientProgress, mutationResult, guestNetwork, dailyModelUse] as const

/** Files come before the messages that use them. Triggers derive `usage`, `contentUse`, `dailyModelUse` and most of `attachmentUse` from these. */
const copiedContent = [
  setting,
  attachment,
  project,
  thread,
  message,
  queuedMessage,
  share,
  prompt,
  draft,
  approval,
  generation,
  creditLedger,
  modelRequest,
] as const

/** Chosen: threads of one statement, each with its messages and their feed rows, well under D1's 30 s. */
const sliceThreads = 20
/** Chosen: a guest stores at most 8 MiB of text (storedContentBytes), so no page is larger. */
const pageRows = 50

/** `extraStatements`: run in the batch that deletes the last rows. */
export async function deleteContent(database: D1Database, userId: string, extraStatements: readonly SQLWrapper[] = []): Promise<void> {
  const db = orm(database)
  // Before the messages that use them: a file without a use would be marked by the cleanup job, which deletes the stored object.
  await db.delete(attachment).where(eq(attachment.userId, userId))
  const slice = db.select({ id: thread.id }).from(thread).where(eq(thread.userId, userId)).limit(sliceThreads)
  for (;;) {
    const removed = await db.delete(thread).where(inArray(thread.id, slice)).returning({ id: thread.id })
    if (removed.length < sliceThreads) break
  }
  // Usage before the ledger: a guard refuses to delete ledger rows of a user who has usage. The content's count after the content.
  const rest = [setting, usage, ...ownedContent.filter((table) => table !== thread), ...forgottenContent, contentUse]
  await runBatch(database, [...extraStatements, ...rest.map((table) => db.delete(table).where(eq(table.userId, userId)))])
}

/**
 * Copies a guest's rows, still owned by the guest. Inserts nothing once the target has the guest's row of `linking`, because the account owns the
 * copies then and may have changed or deleted them. The guards must refuse writes of the guest in the source.
 */
export async function copyContent(source: D1Database, target: D1Database, guestId: string): Promise<void> {
  for (const table of copiedContent) await copyTable(source, target, table, guestId)
  await copyFileUses(source, target, guestId)
  const [forks] = await orm(source).select().from(contentUse).where(eq(contentUse.userId, guestId))
  if (!forks) return
  await orm(target).run(
    sql`insert into ${contentUse} (userId, forks, forkDay) select ${guestId}, ${forks.forks}, ${forks.forkDay} where ${isUnlinked(guestId)}
      on conflict (userId) do update set forks = excluded.forks, forkDay = excluded.forkDay`,
  )
}

type StoredRow = { readonly [column: string]: unknown }

/** In the order of insertion, so that the ledger's guards see the same sums as when the rows were written. */
async function copyTable(source: D1Database, target: D1Database, table: (typeof copiedContent)[number], guestId: string): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await orm(source).all<StoredRow & { readonly position: number }>(
      sql`select rowid position, * from ${table} where userId = ${guestId} and rowid > ${after} order by rowid limit ${pageRows}`,
    )
    if (rows.length > 0)
      await runBatch(
        target,
        rows.map(({ position: _, ...row }) => insertCopy(table, guestId, row)),
      )
    if (rows.length < pageRows) return
    after = rows.at(-1)?.position ?? after
  }
}

/** A row that already exists is not inserted again: guards run before a conflict is detected and would count the row twice. */
function insertCopy(table: (typeof copiedContent)[number], guestId: string, row: StoredRow) {
  // The guard of `queuedId` demands the queued message, which was deleted when the turn began. Nothing reads the column after that.
  const columns = Object.entries(row).filter(([name]) => name !== 'queuedId')
  return sql`insert into ${table} (${list(columns.map(([name]) => sql.identifier(name)))})
    select ${list(columns.map(([, value]) => sql`${sql.param(value)}`))}
    where ${isUnlinked(guestId)} and not exists (select 1 from ${table} where id = ${row.id} and userId = ${guestId})`
}

/** Triggers insert the uses with the copied messages, but not the time since a deletion has hidden them. */
async function copyFileUses(source: D1Database, target: D1Database, guestId: string): Promise<void> {
  const uses = await orm(source)
    .select({ use: attachmentUse })
    .from(attachmentUse)
    .innerJoin(attachment, eq(attachment.id, attachmentUse.attachmentId))
    .where(eq(attachment.userId, guestId))
  const upserts = uses.map(
    ({ use: { attachmentId, holder, holderId, hiddenSince } }) =>
      sql`insert into ${attachmentUse} (attachmentId, holder, holderId, hiddenSince)
        select ${attachmentId}, ${holder}, ${holderId}, ${hiddenSince} where ${isUnlinked(guestId)}
        on conflict do update set hiddenSince = excluded.hiddenSince`,
  )
  for (let from = 0; from < upserts.length; from += pageRows) await runBatch(target, upserts.slice(from, from + pageRows))
}

const isUnlinked = (guestId: string) => sql`not exists (select 1 from ${linking} where guestId = ${guestId})`

const list = (chunks: readonly SQLWrapper[]) =>
  sql.join(
    chunks.map((chunk) => sql`${chunk}`),
    sql`, `,
  )
