/**
 * Whether somebody has room for one more file, as SQL for the statement that takes it, so that parallel uploads cannot overdraw it together.
 *
 * What is in no sight any more, because only deleted threads and messages show it, takes no room: whoever is told to delete something can go on
 * at once. Its files stay, because a deletion can be undone, and then there may be more than the limit. They are allowed as much as the
 * limit again, or deleting would be a way to keep any number of files.
 */
import { deletedThreadKeptMs } from '../contract/limits.ts'

/** Everywhere it is shown, it was deleted (hidden-files.ts). An upload that was not sent yet is on its way to a message. */
const isHiddenSql = `(
  exists (select 1 from attachmentUse where attachmentId = attachment.id)
  and not exists (select 1 from attachmentUse indexed by attachmentUse_shown where attachmentId = attachment.id and hiddenSince is null)
)`

const storedSql = (files: string): string => `(select coalesce(sum(sizeBytes), 0) from attachment where ${files})`
const hiddenSql = (files: string): string => `(select coalesce(sum(sizeBytes), 0) from attachment where ${files} and ${isHiddenSql})`

/** `files`: the condition that their rows meet, of one person. What shows them is looked at only where their bytes alone leave no room. */
export function hasRoomSql(files: string, sizeBytes: string, maxBytes: string): string {
  const [stored, hidden] = [storedSql(files), hiddenSql(files)]
  return `(${stored} + ${sizeBytes} <= ${maxBytes}
    or (${stored} + ${sizeBytes} <= 2 * ${maxBytes} and ${stored} - ${hidden} + ${sizeBytes} <= ${maxBytes}))`
}

/** `held`: by what was deleted, which is too much for as long as that is kept. */
export type NoRoom =
  | { readonly type: 'storage_full' }
  | { readonly type: 'storage_held'; readonly heldBytes: number; readonly untilMs: number }

/** Null when there is room. ?1 is the person or what the condition makes of it, ?2 the size, ?3 the limit. */
export async function readNoRoom(
  db: D1Database,
  files: string,
  values: readonly [userId: string, sizeBytes: number, maxBytes: number, ...others: string[]],
): Promise<NoRoom | null> {
  const [, sizeBytes, maxBytes] = values
  const room = await db
    .prepare(`select ${hasRoomSql(files, '?2', '?3')} hasRoom, ${storedSql(files)} stored, ${hiddenSql(files)} hidden`)
    .bind(...values)
    .first<{ readonly hasRoom: number; readonly stored: number; readonly hidden: number }>()
  if (!room || room.hasRoom === 1) return null
  if (room.stored - room.hidden + sizeBytes > maxBytes) return { type: 'storage_full' }
  const hiddenSince = await db
    .prepare(
      `select min(since) since from (
         select since, sum(sizeBytes) over (order by since rows unbounded preceding) freed from (
           select sizeBytes, (select max(hiddenSince) from attachmentUse where attachmentId = attachment.id) since
             from attachment where ${files} and ${isHiddenSql}
         )
       ) where ${storedSql(files)} - freed + ?2 <= 2 * ?3`,
    )
    .bind(...values)
    .first<number>('since')
  return { type: 'storage_held', heldBytes: room.hidden, untilMs: (hiddenSince ?? 0) + deletedThreadKeptMs }
}
