/**
 * Rows of files. A row is inserted before its object is stored and deleted after it, so that every object has a row. The rows of copies refer to
 * the object of the original. The statement that inserts a file also checks the storage limit.
 */
import { and, eq, gt, isNotNull, isNull, lt, not, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { AttachedFile, FileType, StoredType } from '../contract/files/files.ts'
import { deletedThreadRetentionMs, unusedFileTtlMs } from '../contract/limits.ts'
import { ownerOf } from './current-owner.ts'
import { orm, runBatch } from './shards.ts'
import { linking } from './tables/sync.ts'
import { attachment, attachmentUse, generation } from './tables/threads.ts'

type NewUpload = {
  readonly id: string
  readonly userId: string
  readonly uploadId: string
  readonly name: string
  /** Only the copy of a file that a model made is not of a `FileType`. */
  readonly mediaType: StoredType
  readonly sizeBytes: number
}

export type StorageLimit = { readonly maxBytes: number; readonly perHour: number }

type UploadBegun = { readonly type: 'begun'; readonly id: string } | { readonly type: 'uploads_too_often' } | StorageRefusal

const hourMs = 60 * 60 * 1000

/** A model made the file, or it was copied from a shared page: neither the upload ids of clients nor row ids contain a colon. */
const isOfServer = sql`instr(${attachment.uploadId}, ':') > 0`
/** A row that is being moved to another database must not change, because the copy would miss the change. */
const isHere = sql`not exists (select 1 from ${linking} where ${linking.guestId} = ${attachment.userId})`
const isStored = and(isNotNull(attachment.storedAt), isNull(attachment.removedAt))

/**
 * A repeated upload that was not stored becomes a new file; the row of the earlier attempt is released. Two attempts never share an object,
 * so each is checked separately.
 */
export async function beginUpload(
  db: D1Database,
  { id, userId, uploadId, name, mediaType, sizeBytes }: NewUpload,
  { maxBytes, perHour }: StorageLimit,
  nowMs: number,
): Promise<UploadBegun> {
  const others = sql`userId = ${userId} and uploadId <> ${uploadId}`
  const ofLastHour = orm(db)
    .select({ count: sql`count(*)` })
    .from(attachment)
    .where(
      and(
        eq(attachment.userId, userId),
        gt(attachment.createdAt, nowMs - hourMs),
        or(isNotNull(attachment.storedAt), isNull(attachment.removedAt)),
        not(isOfServer),
      ),
    )
  const [, inserted] = await runBatch(db, [
    orm(db)
      .update(attachment)
      .set({ uploadId: sql`id`, sizeBytes: 0, unusedSince: 0, removedAt: nowMs })
      .where(
        and(eq(attachment.userId, userId), eq(attachment.uploadId, uploadId), isNull(attachment.storedAt), isNull(attachment.removedAt)),
      ),
    sql`insert into ${attachment} (id, userId, uploadId, name, mediaType, sizeBytes, unusedSince, createdAt)
      select ${id}, ${userId}, ${uploadId}, ${name}, ${mediaType}, ${sizeBytes}, ${nowMs}, ${nowMs}
        where ${fitsStorage(others, sizeBytes, maxBytes)} and ${ofLastHour} < ${perHour}
      on conflict (userId, uploadId) do nothing
      returning id`,
  ])
  if (inserted?.results.length === 1) return { type: 'begun', id }
  return (await readStorageRefusal(db, others, sizeBytes, maxBytes)) ?? { type: 'uploads_too_often' }
}

type NewMadeFile = Pick<AttachedFile, 'id' | 'name' | 'sizeBytes'> & {
  /** The user who started the turn. A guest may have been linked to an account since; the row then belongs to the account. */
  readonly userId: string
  readonly generationId: string
  readonly mediaType: StoredType
}

/**
 * A file that a model generated for this user. It counts towards the storage, but not towards the uploads per hour. Its `uploadId` contains
 * the generation id and a colon, which no upload id contains, so the file is kept while the generation is open. Null if the file fits.
 */
export async function beginMadeFile(
  db: D1Database,
  { id, userId, generationId, name, mediaType, sizeBytes }: NewMadeFile,
  maxBytes: number,
  nowMs: number,
): Promise<StorageRefusal | null> {
  const owner = ownerOf(userId)
  const files = sql`userId = ${owner}`
  const { meta } = await orm(db).run(
    sql`insert into ${attachment} (id, userId, uploadId, name, mediaType, sizeBytes, unusedSince, createdAt)
      select ${id}, ${owner}, ${`${generationId}:${id}`}, ${name}, ${mediaType}, ${sizeBytes}, ${nowMs}, ${nowMs}
        where ${fitsStorage(files, sizeBytes, maxBytes)}`,
  )
  if (meta.changes > 0) return null
  // Files may have been deleted since the insert.
  return (await readStorageRefusal(db, files, sizeBytes, maxBytes)) ?? { type: 'storage_full' }
}

/** The file that this upload became, if it is complete. */
export async function readUploaded(db: D1Database, userId: string, uploadId: string): Promise<AttachedFile | null> {
  const { id, name, sizeBytes, pages } = attachment
  const [file] = await orm(db)
    // Only a file that a model made can have another type.
    .select({ id, name, sizeBytes, pages, mediaType: sql<FileType>`${attachment.mediaType}` })
    .from(attachment)
    .where(and(eq(attachment.userId, userId), eq(attachment.uploadId, uploadId), isStored))
  return file ?? null
}

/** Known when all bytes are stored. */
export type FileDetails = { readonly etag: string; readonly pages: number | null }

/** False if the file was removed or its upload was restarted meanwhile. */
export async function finishUpload(db: D1Database, id: string, { etag, pages }: FileDetails, nowMs: number): Promise<boolean> {
  const { meta } = await orm(db)
    .update(attachment)
    .set({ storedAt: nowMs, etag, pages })
    .where(and(eq(attachment.id, id), isNull(attachment.storedAt), isNull(attachment.removedAt), isHere))
  return meta.changes > 0
}

/** The upload no longer counts as storage and may be tried again. */
export async function breakUpload(db: D1Database, id: string): Promise<void> {
  await orm(db)
    .update(attachment)
    .set({ sizeBytes: 0 })
    .where(and(eq(attachment.id, id), isNull(attachment.storedAt)))
}

/**
 * Counts the original of a scaled image towards the storage, before its object is stored. Null if the original fits. The user's other files and
 * the scaled copy of this one are in `files`.
 */
export async function reserveOriginal(
  db: D1Database,
  userId: string,
  { id, sizeBytes }: Pick<AttachedFile, 'id' | 'sizeBytes'>,
  maxBytes: number,
): Promise<StorageRefusal | { readonly type: 'file_missing' } | null> {
  const files = sql`userId = ${userId}`
  const { meta } = await orm(db)
    .update(attachment)
    .set({ originalBytes: sizeBytes })
    .where(and(eq(attachment.id, id), eq(attachment.userId, userId), isStored, isHere, fitsStorage(files, sizeBytes, maxBytes)))
  if (meta.changes > 0) return null
  return (await readStorageRefusal(db, files, sizeBytes, maxBytes)) ?? { type: 'file_missing' }
}

/** The original was not stored and no longer counts. */
export async function releaseOriginal(db: D1Database, id: string): Promise<void> {
  await orm(db).update(attachment).set({ originalBytes: 0 }).where(eq(attachment.id, id))
}

export type StoredFile = Omit<AttachedFile, 'mediaType'> & {
  /** Names the object in R2. */
  readonly objectId: string
  readonly mediaType: StoredType
  readonly originalBytes: number
  readonly pages: number | null
  readonly etag: string
  readonly storedAt: number
}

const objectId = sql<string>`coalesce(${attachment.objectId}, ${attachment.id})`

const storedColumns = {
  id: attachment.id,
  objectId,
  name: attachment.name,
  mediaType: attachment.mediaType,
  sizeBytes: attachment.sizeBytes,
  originalBytes: attachment.originalBytes,
  pages: attachment.pages,
  // Set together when the file is stored.
  etag: sql<string>`${attachment.etag}`,
  storedAt: sql<number>`${attachment.storedAt}`,
}

/** Null for a file of another user, as for a file that does not exist. */
export async function readFile(db: D1Database, userId: string, id: string): Promise<StoredFile | null> {
  const [file] = await orm(db)
    .select(storedColumns)
    .from(attachment)
    .where(and(eq(attachment.id, id), eq(attachment.userId, userId), isStored))
  return file ?? null
}

/** One parameter for any number of ids: a statement has at most 100 (platform limit). */
const isIn = (column: SQLWrapper, ids: readonly string[]) => sql`${column} in (select value from json_each(${JSON.stringify(ids)}))`

/** The files with these ids that belong to the user, or to the account that the user was linked to. */
export const readFiles = (db: D1Database, userId: string, ids: readonly string[]): Promise<readonly StoredFile[]> =>
  orm(db)
    .select(storedColumns)
    .from(attachment)
    .where(and(isIn(attachment.id, ids), eq(attachment.userId, ownerOf(userId)), isStored))

/** Marks a file that no message shows as removed. Such a file cannot be sent. Null if the file is used, or belongs to another user. */
export async function removeUnused(db: D1Database, userId: string, id: string, nowMs: number): Promise<RemovedFile | null> {
  const [removed] = await orm(db)
    .update(attachment)
    .set({ removedAt: nowMs, unusedSince: 0 })
    .where(and(eq(attachment.id, id), eq(attachment.userId, userId), isNotNull(attachment.unusedSince), isHere))
    .returning({ id: attachment.id, objectId })
  return removed ?? null
}

export async function forgetBytes(db: D1Database, id: string): Promise<void> {
  await orm(db)
    .update(attachment)
    .set({ sizeBytes: 0, originalBytes: 0 })
    .where(and(eq(attachment.id, id), isNotNull(attachment.removedAt)))
}

/** For a generated file: the generation whose message will show it has not ended. */
const isAwaited = sql`exists (select 1 from ${generation}
  where ${generation.id} = substr(${attachment.uploadId}, 1, instr(${attachment.uploadId}, ':') - 1) and ${generation.status} = 'open')`

/** Marks files as removed that no message has used for a day, and files whose last message was deleted. */
export async function markUnused(db: D1Database, nowMs: number): Promise<void> {
  await orm(db)
    .update(attachment)
    .set({ removedAt: nowMs })
    .where(and(lt(attachment.unusedSince, nowMs - unusedFileTtlMs), isNull(attachment.removedAt), not(isAwaited), isHere))
}

export type RemovedFile = Pick<StoredFile, 'id' | 'objectId'>

/** Rows stay for an hour, because they count towards the uploads and copies per hour. */
export const readRemoved = (db: D1Database, nowMs: number, limit: number): Promise<readonly RemovedFile[]> =>
  orm(db)
    .select({ id: attachment.id, objectId })
    .from(attachment)
    .where(and(isNotNull(attachment.removedAt), lt(attachment.createdAt, nowMs - hourMs)))
    .orderBy(attachment.removedAt)
    .limit(limit)

/** Marks all files of a user as removed, for account deletion. */
export async function markAll(db: D1Database, userId: string, nowMs: number): Promise<void> {
  await orm(db)
    .update(attachment)
    .set({ removedAt: nowMs })
    .where(and(eq(attachment.userId, userId), isNull(attachment.removedAt)))
}

export const readFilesOf = (db: D1Database, userId: string, limit: number): Promise<readonly RemovedFile[]> =>
  orm(db).select({ id: attachment.id, objectId }).from(attachment).where(eq(attachment.userId, userId)).limit(limit)

/** The objects among these that a file in this database needs. A file that is marked as removed needs none. */
export async function readNeededObjects(db: D1Database, objectIds: readonly string[]): Promise<readonly string[]> {
  const needed = await orm(db)
    .selectDistinct({ objectId })
    .from(attachment)
    .where(and(isNull(attachment.removedAt), or(isIn(attachment.objectId, objectIds), isIn(attachment.id, objectIds))))
  return needed.map((file) => file.objectId)
}

export async function deleteRows(db: D1Database, ids: readonly string[]): Promise<void> {
  await runBatch(db, [
    // The uses first: deleting a use marks its file.
    orm(db).delete(attachmentUse).where(isIn(attachmentUse.attachmentId, ids)),
    orm(db).delete(attachment).where(isIn(attachment.id, ids)),
  ])
}

/**
 * A condition: one more file fits into the user's storage. Part of the statement that inserts the file, so parallel uploads cannot exceed
 * the limit together.
 *
 * Files that only deleted threads and messages use do not count, so deleting frees space at once. They stay until the deletion can no longer
 * be undone; all files together may take twice the limit.
 */

/** True if every use of the file is in a deleted thread or message. False for an upload that no message uses yet. */
const isHidden = sql`(
  exists (select 1 from ${attachmentUse} where attachmentId = ${attachment.id})
  and not exists (
    select 1 from ${attachmentUse} indexed by attachmentUse_shown where attachmentId = ${attachment.id} and hiddenSince is null
  )
)`

const storedBytes = (files: SQL) => sql`(select coalesce(sum(sizeBytes + originalBytes), 0) from ${attachment} where ${files})`
const hiddenBytes = (files: SQL) => storedBytes(sql`${files} and ${isHidden}`)

/** `files`: condition on the user's `attachment` rows. Uses are read only if the total exceeds the limit. */
export function fitsStorage(files: SQL, sizeBytes: number, maxBytes: number): SQL {
  const [stored, hidden] = [storedBytes(files), hiddenBytes(files)]
  return sql`(${stored} + ${sizeBytes} <= ${maxBytes}
    or (${stored} + ${sizeBytes} <= 2 * ${maxBytes} and ${stored} - ${hidden} + ${sizeBytes} <= ${maxBytes}))`
}

/** `storage_held`: deleted files fill the storage until `untilMs`. */
export type StorageRefusal =
  | { readonly type: 'storage_full' }
  | { readonly type: 'storage_held'; readonly heldBytes: number; readonly untilMs: number }

/** Null if the file fits. */
export async function readStorageRefusal(db: D1Database, files: SQL, sizeBytes: number, maxBytes: number): Promise<StorageRefusal | null> {
  const storage = await orm(db).get<{ readonly fits: number; readonly stored: number; readonly hidden: number }>(
    sql`select ${fitsStorage(files, sizeBytes, maxBytes)} fits, ${storedBytes(files)} stored, ${hiddenBytes(files)} hidden`,
  )
  if (storage.fits === 1) return null
  if (storage.stored - storage.hidden + sizeBytes > maxBytes) return { type: 'storage_full' }
  const { hiddenSince } = await orm(db).get<{ readonly hiddenSince: number | null }>(
    sql`select min(since) hiddenSince from (
      select since, sum(bytes) over (order by since rows unbounded preceding) freedBytes from (
        select sizeBytes + originalBytes bytes, (select max(hiddenSince) from ${attachmentUse} where attachmentId = ${attachment.id}) since
          from ${attachment} where ${files} and ${isHidden}
      )
    ) where ${storedBytes(files)} - freedBytes + ${sizeBytes} <= 2 * ${maxBytes}`,
  )
  return { type: 'storage_held', heldBytes: storage.hidden, untilMs: (hiddenSince ?? 0) + deletedThreadRetentionMs }
}

/**
 * The row of a copied file. It refers to the object of the original (file-store.ts), with an owner, uses and variants of its own. `uploadId`
 * begins with `copyPrefix` of its thread.
 */
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
