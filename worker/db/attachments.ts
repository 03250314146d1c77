/**
 * The rows of files. A row is there before its object and goes after it, so that no object is ever without a row that names it.
 * Storage is counted where it is taken, in one statement (storage-room.ts).
 */
import type { AttachedFile, FileType, StoredType } from '../contract/files.ts'
import { unusedFileKeptMs } from '../contract/limits.ts'
import { ownerSql } from './hand-over.ts'
import { hasRoomSql, type NoRoom, readNoRoom } from './storage-room.ts'

export type NewUpload = {
  readonly id: string
  readonly userId: string
  readonly uploadId: string
  readonly name: string
  readonly mediaType: FileType
  readonly sizeBytes: number
}

export type StorageLimit = { readonly maxBytes: number; readonly perHour: number }

export type UploadBegun = { readonly type: 'begun'; readonly id: string } | { readonly type: 'uploads_too_often' } | NoRoom

const hourMs = 60 * 60 * 1000

/** Whether a model made it: the names of uploads, and the ids that take their place, have no such sign. */
const isMadeSql = "instr(uploadId, ':') > 0"

/**
 * An upload that is sent again before it is stored begins anew, as another file: what its earlier attempt still brings belongs to a row that
 * is nobody's any more. So no two attempts share an object, whatever they say their bytes are, and each is checked by itself.
 */
export async function beginUpload(
  db: D1Database,
  { id, userId, uploadId, name, mediaType, sizeBytes }: NewUpload,
  { maxBytes, perHour }: StorageLimit,
  nowMs: number,
): Promise<UploadBegun> {
  const [, inserted] = await db.batch<{ id: string }>([
    db
      .prepare(
        `update attachment set uploadId = id, sizeBytes = 0, unusedSince = 0, removedAt = ?3
         where userId = ?1 and uploadId = ?2 and storedAt is null and removedAt is null`,
      )
      .bind(userId, uploadId, nowMs),
    db
      .prepare(
        `insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, unusedSince, createdAt)
       select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7
         where ${hasRoomSql('userId = ?2 and uploadId <> ?3', '?6', '?8')}
           and (select count(*) from attachment
                  where userId = ?2 and createdAt > ?9 and (storedAt is not null or removedAt is null) and not ${isMadeSql}) < ?10
       on conflict (userId, uploadId) do nothing
       returning id`,
      )
      .bind(id, userId, uploadId, name, mediaType, sizeBytes, nowMs, maxBytes, nowMs - hourMs, perHour),
  ])
  const begun = inserted?.results[0]
  if (begun) return { type: 'begun', id: begun.id }
  const noRoom = await readNoRoom(db, 'userId = ?1 and uploadId <> ?4', [userId, sizeBytes, maxBytes, uploadId])
  return noRoom ?? { type: 'uploads_too_often' }
}

export type NewMadeFile = Pick<AttachedFile, 'id' | 'name' | 'sizeBytes'> & {
  /** Who asked for it; the row is the account's, when that was a guest who has become one. */
  readonly userId: string
  readonly generationId: string
  readonly mediaType: StoredType
}

/**
 * A file that a model made for this person. It counts as everything of theirs does, and not for how often they may bring something.
 * Named by the generation, with a sign that no upload's name has, so that it is kept while that is open. Null when there was room.
 */
export async function beginMadeFile(
  db: D1Database,
  { id, userId, generationId, name, mediaType, sizeBytes }: NewMadeFile,
  maxBytes: number,
  nowMs: number,
): Promise<NoRoom | null> {
  const { meta } = await db
    .prepare(
      `insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, unusedSince, createdAt)
       select ?1, ${ownerSql('?2')}, ?3 || ':' || ?1, ?4, ?5, ?6, ?7, ?7
         where ${hasRoomSql(`userId = ${ownerSql('?2')}`, '?6', '?8')}`,
    )
    .bind(id, userId, generationId, name, mediaType, sizeBytes, nowMs, maxBytes)
    .run()
  if (meta.changes > 0) return null
  // Something may have gone since.
  return (await readNoRoom(db, `userId = ${ownerSql('?1')}`, [userId, sizeBytes, maxBytes])) ?? { type: 'storage_full' }
}

/** What this upload has become, if it is done. */
export const readUploaded = (db: D1Database, userId: string, uploadId: string): Promise<AttachedFile | null> =>
  db
    .prepare(
      `select id, name, mediaType, sizeBytes from attachment
       where userId = ? and uploadId = ? and storedAt is not null and removedAt is null`,
    )
    .bind(userId, uploadId)
    .first<AttachedFile>()

/** False when the file was removed, or its upload began anew, meanwhile. */
export async function finishUpload(db: D1Database, id: string, etag: string, nowMs: number): Promise<boolean> {
  const { meta } = await db
    .prepare('update attachment set storedAt = ?, etag = ? where id = ? and storedAt is null and removedAt is null')
    .bind(nowMs, etag, id)
    .run()
  return meta.changes > 0
}

/** Takes no storage any more; the same upload may be tried again. */
export const breakUpload = (db: D1Database, id: string): Promise<unknown> =>
  db.prepare('update attachment set sizeBytes = 0 where id = ? and storedAt is null').bind(id).run()

export type StoredFile = Omit<AttachedFile, 'mediaType'> & {
  readonly mediaType: StoredType
  readonly etag: string
  readonly storedAt: number
}

const storedColumns = 'id, name, mediaType, sizeBytes, etag, storedAt'

/** A file of somebody else's is as absent as one that never was. */
export const readFile = (db: D1Database, userId: string, id: string): Promise<StoredFile | null> =>
  db
    .prepare(`select ${storedColumns} from attachment where id = ? and userId = ? and storedAt is not null and removedAt is null`)
    .bind(id, userId)
    .first<StoredFile>()

/** Those of the ids that are this person's files, or those of the account that the guest who asked has become meanwhile. */
export async function readFiles(db: D1Database, userId: string, ids: readonly string[]): Promise<readonly StoredFile[]> {
  const { results } = await db
    .prepare(
      `select ${storedColumns} from attachment
       where id in (select value from json_each(?1)) and userId = ${ownerSql('?2')} and storedAt is not null and removedAt is null`,
    )
    .bind(JSON.stringify(ids), userId)
    .all<StoredFile>()
  return results
}

/** Claims a file that no message shows; from then on nobody can send it. */
export async function removeUnused(db: D1Database, userId: string, id: string, nowMs: number): Promise<boolean> {
  const { meta } = await db
    .prepare('update attachment set removedAt = ?, unusedSince = 0 where id = ? and userId = ? and unusedSince is not null')
    .bind(nowMs, id, userId)
    .run()
  return meta.changes > 0
}

export const forgetBytes = (db: D1Database, id: string): Promise<unknown> =>
  db.prepare('update attachment set sizeBytes = 0 where id = ? and removedAt is not null').bind(id).run()

/** Of a file that a model made: the generation whose message will show it has not ended. */
const isAwaitedSql =
  "exists (select 1 from generation where id = substr(attachment.uploadId, 1, instr(attachment.uploadId, ':') - 1) and status = 'open')"

/** Claims what no message has shown for a day, and what the last message took with it. */
export const claimUnused = (db: D1Database, nowMs: number): Promise<unknown> =>
  db
    .prepare(
      `update attachment set removedAt = ?1
       where unusedSince is not null and unusedSince < ?2 and removedAt is null and not ${isAwaitedSql}`,
    )
    .bind(nowMs, nowMs - unusedFileKeptMs)
    .run()

/** Rows stay an hour, or removing what one brought would let one bring more. */
export async function readRemoved(db: D1Database, nowMs: number, limit: number): Promise<readonly string[]> {
  const { results } = await db
    .prepare('select id from attachment where removedAt is not null and createdAt < ? order by removedAt limit ?')
    .bind(nowMs - hourMs, limit)
    .all<{ id: string }>()
  return results.map(({ id }) => id)
}

export async function readIdsOf(db: D1Database, userId: string, limit: number): Promise<readonly string[]> {
  const { results } = await db.prepare('select id from attachment where userId = ? limit ?').bind(userId, limit).all<{ id: string }>()
  return results.map(({ id }) => id)
}

export const deleteRows = (db: D1Database, ids: readonly string[]): Promise<unknown> =>
  db.batch(
    // The uses first: a use that goes marks its file.
    ['attachmentUse where attachmentId', 'attachment where id'].map((rows) =>
      db.prepare(`delete from ${rows} in (select value from json_each(?))`).bind(JSON.stringify(ids)),
    ),
  )
