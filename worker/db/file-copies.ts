/** Rows of copied files. They refer to the objects of the originals (file-store.ts), with an owner, uses and variants of their own. */
import { and, eq, isNull, sql } from 'drizzle-orm'
import { hourMs, isIn, type StorageLimit, type StoredFile } from './attachments.ts'
import { fitsStorage, readStorageRefusal, type StorageRefusal } from './file-storage-limit.ts'
import { orm } from './shards.ts'
import { attachment } from './tables/threads.ts'

/** `uploadId` begins with `copyPrefix` of its thread. */
export type NewCopy = Pick<StoredFile, 'id' | 'objectId' | 'name' | 'mediaType' | 'sizeBytes' | 'pages' | 'etag'> & {
  readonly uploadId: string
}

const copyMark = 'copy:'
export const copyPrefix = (threadId: string): string => `${copyMark}${threadId}-`
const startsWith = (prefix: string) => sql`substr(${attachment.uploadId}, 1, ${prefix.length}) = ${prefix}`

/**
 * Inserts the rows of all copies, or none. They are not stored until `storeCopies`, but already keep their objects from being deleted.
 * An interrupted attempt has inserted them, and its ids stay. Returns the ids by upload id.
 */
export async function beginCopies(
  db: D1Database,
  userId: string,
  threadId: string,
  copies: readonly NewCopy[],
  { maxBytes, perHour }: StorageLimit,
  nowMs: number,
): Promise<ReadonlyMap<string, string> | StorageRefusal | { readonly type: 'copies_too_often' }> {
  const prefix = copyPrefix(threadId)
  const others = sql`userId = ${userId} and not ${startsWith(prefix)}`
  const sizeBytes = copies.reduce((sum, copy) => sum + copy.sizeBytes, 0)
  const ofLastHour = sql`(select count(*) from ${attachment}
    where ${others} and ${attachment.createdAt} > ${nowMs - hourMs} and ${startsWith(copyMark)})`
  // In the order of the columns.
  const rows = copies.map((copy) => [
    ...[copy.id, copy.uploadId, copy.objectId, copy.name, copy.mediaType],
    ...[copy.sizeBytes, copy.pages, copy.etag],
  ])
  const columns = sql.raw([0, 1, 2, 3, 4, 5, 6, 7].map((index) => `value ->> ${index}`).join(', '))
  await orm(db).run(
    sql`insert into ${attachment} (id, uploadId, objectId, name, mediaType, sizeBytes, pages, etag, userId, unusedSince, createdAt)
      select ${columns}, ${userId}, ${nowMs}, ${nowMs} from json_each(${JSON.stringify(rows)})
        where ${fitsStorage(others, sizeBytes, maxBytes)} and ${ofLastHour} + ${copies.length} <= ${perHour}
      on conflict (userId, uploadId) do nothing`,
  )
  const begun = await orm(db)
    .select({ id: attachment.id, uploadId: attachment.uploadId })
    .from(attachment)
    .where(and(eq(attachment.userId, userId), startsWith(prefix), isNull(attachment.removedAt)))
  if (begun.length > 0) return new Map(begun.map(({ id, uploadId }) => [uploadId, id]))
  return (await readStorageRefusal(db, others, sizeBytes, maxBytes)) ?? { type: 'copies_too_often' }
}

/** In the batch of the messages that use the copies. */
export const storeCopies = (db: D1Database, userId: string, threadId: string, nowMs: number) =>
  orm(db)
    .update(attachment)
    .set({ storedAt: nowMs })
    .where(and(eq(attachment.userId, userId), startsWith(copyPrefix(threadId)), isNull(attachment.storedAt), isNull(attachment.removedAt)))

/** Releases copies that are not stored. They still count towards the copies per hour. */
export async function releaseCopies(db: D1Database, ids: readonly string[], nowMs: number): Promise<void> {
  await orm(db)
    .update(attachment)
    .set({ uploadId: sql`${copyMark} || id`, sizeBytes: 0, unusedSince: 0, removedAt: nowMs })
    .where(and(isIn(attachment.id, ids), isNull(attachment.storedAt), isNull(attachment.removedAt)))
}
