/**
 * Marks uses of files that only deleted threads and messages contain. Such files do not count as storage (file-storage-limit.ts). The marks of
 * the whole thread are computed again in the batch of each deletion or restoration, so no counter is kept.
 */
import type { RowWrite } from './writes.ts'

/** Of two times the first; null is never. */
const firstOf = (a: string, b: string): string => `coalesce(min(${a}, ${b}), ${a}, ${b})`

/** One row tells it, and of most people it spares reading the thread. */
const hasFilesSql = (threadId: string): string =>
  `exists (select 1 from attachment where userId = (select userId from thread where id = ${threadId}))`

/**
 * Walks down from the beginnings of the thread once, if its person has any file. Of its messages only those columns are read that stand before
 * what they say; which of them were deleted, the index message_deleted_thread knows.
 */
const hideSql = (threadId: string): string => `with recursive
  said (id, parentId) as materialized (
    select id, parentId from message where threadId = ${threadId} and ${hasFilesSql(threadId)}
    union all select id, null from queuedMessage where threadId = ${threadId} and ${hasFilesSql(threadId)}
  ),
  gone (id, deletedAt) as materialized (
    select id, deletedAt from message where threadId = ${threadId} and deletedAt is not null
  ),
  known (id, since) as (
    select said.id, ${firstOf('thread.deletedAt', 'gone.deletedAt')}
      from said join thread on thread.id = ${threadId} left join gone on gone.id = said.id
      where said.parentId is null or said.parentId not in (select id from said)
    union all
    select said.id, ${firstOf('known.since', 'gone.deletedAt')}
      from known join said on said.parentId = known.id left join gone on gone.id = said.id
  )
update attachmentUse set hiddenSince = known.since from known
  where attachmentUse.holderId in (select id from said) and known.id = attachmentUse.holderId and hiddenSince is not known.since`

export const hideInThreadSql = hideSql('?1')
export const hideAroundMessageSql = hideSql('(select threadId from message where id = ?1)')

/** Whether it takes something out of sight, or brings it back. */
export const hidesFiles = ({ kind, table, row }: RowWrite): boolean =>
  kind === 'update' && row.deletedAt !== undefined && (table === 'thread' || table === 'message')

/** To be said behind the write: one statement where it hides files, else none. */
export const hiddenFilesStatements = (db: D1Database, write: RowWrite): readonly D1PreparedStatement[] =>
  hidesFiles(write) ? [db.prepare(write.table === 'thread' ? hideInThreadSql : hideAroundMessageSql).bind(String(write.row.id))] : []
