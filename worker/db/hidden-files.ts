/**
 * Marks file uses that only deleted threads and messages contain. Such files do not count as storage (attachments.ts). Each deletion
 * and restoration recomputes the marks of the whole thread in its batch, so no counter is needed.
 */
import type { D1Write } from './writes.ts'

/** The earlier of two times. Null means never. */
const firstOf = (a: string, b: string): string => `coalesce(min(${a}, ${b}), ${a}, ${b})`

/** Skips reading the thread for users without files. */
const hasFilesSql = (threadId: string): string =>
  `exists (select 1 from attachment where userId = (select userId from thread where id = ${threadId}))`

/**
 * Walks the message tree from its roots once, if the user has a file. It reads only columns that precede the message content in the row,
 * and finds deleted messages through the index message_deleted_thread.
 */
const hideSql = (threadId: string): string => `with recursive
  inThread (id, parentId) as materialized (
    select id, parentId from message where threadId = ${threadId} and ${hasFilesSql(threadId)}
    union all select id, null from queuedMessage where threadId = ${threadId} and ${hasFilesSql(threadId)}
  ),
  removed (id, deletedAt) as materialized (
    select id, deletedAt from message where threadId = ${threadId} and deletedAt is not null
  ),
  reached (id, since) as (
    select inThread.id, ${firstOf('thread.deletedAt', 'removed.deletedAt')}
      from inThread join thread on thread.id = ${threadId} left join removed on removed.id = inThread.id
      where inThread.parentId is null or inThread.parentId not in (select id from inThread)
    union all
    select inThread.id, ${firstOf('reached.since', 'removed.deletedAt')}
      from reached join inThread on inThread.parentId = reached.id left join removed on removed.id = inThread.id
  )
update attachmentUse set hiddenSince = reached.since from reached
  where attachmentUse.holderId in (select id from inThread) and reached.id = attachmentUse.holderId and hiddenSince is not reached.since`

export const hideInThreadSql = hideSql('?1')
export const hideAroundMessageSql = hideSql('(select threadId from message where id = ?1)')

/** True if the write hides or restores a message or thread. */
export const hidesFiles = ({ kind, table, row }: D1Write): boolean =>
  kind === 'update' && row.deletedAt !== undefined && (table === 'thread' || table === 'message')

/** Runs after the write: one statement if the write hides or restores files, otherwise none. */
export const hiddenFilesStatements = (db: D1Database, write: D1Write): readonly D1PreparedStatement[] =>
  hidesFiles(write) ? [db.prepare(write.table === 'thread' ? hideInThreadSql : hideAroundMessageSql).bind(String(write.row.id))] : []
