/**
 * A condition: one more file fits into the user's storage. Part of the statement that inserts the file, so parallel uploads cannot exceed
 * the limit together.
 *
 * Files that only deleted threads and messages use do not count, so deleting frees space at once. They stay until the deletion can no longer
 * be undone; all files together may take twice the limit.
 */
import { type SQL, sql } from 'drizzle-orm'
import { deletedThreadRetentionMs } from '../contract/limits.ts'
import { orm } from './shards.ts'
import { attachment, attachmentUse } from './tables/threads.ts'

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
