/**
 * Whether somebody has room for one more file, as SQL for the statement that takes it, so that parallel uploads cannot overdraw it together.
 *
 * What is in no sight any more, because only deleted threads and messages show it, takes no room: whoever is told to delete something can go on
 * at once. Its files stay, because a deletion can be undone, and then there may be more than the limit. They are allowed as much as the
 * limit again, or deleting would be a way to keep any number of files.
 *
 * A fork costs nothing and shows every file again, so how far anybody's files are looked after is bounded; what is beyond takes room.
 */

/** Ours: more forks than anybody makes of one thread, and more messages than most threads have. */
const maxUses = 20
const maxMessagesAbove = 200

const isAboveDeletedSql = `with recursive up (id, parentId, deletedAt) as (
    select message.id, message.parentId, message.deletedAt
    union
    select above.id, above.parentId, above.deletedAt from up join message above on above.id = up.parentId
    limit ${maxMessagesAbove}
  ) select 1 from up where deletedAt is not null`

/** Whether a message in sight, or one that waits in a thread in sight, shows the file. A thread in which nothing was deleted is not walked through. */
const isInSightSql = `(
  exists (select 1 from attachmentUse where attachmentId = attachment.id limit 1 offset ${maxUses})
  or exists (
    select 1 from attachmentUse
      join message on message.id = attachmentUse.holderId
      join thread on thread.id = message.threadId
      where attachmentUse.attachmentId = attachment.id and attachmentUse.holder = 'message' and thread.deletedAt is null
        and not (
          exists (select 1 from message gone where gone.threadId = thread.id and gone.deletedAt is not null)
          and exists (${isAboveDeletedSql})
        )
  )
  or exists (
    select 1 from attachmentUse
      join queuedMessage on queuedMessage.id = attachmentUse.holderId
      join thread on thread.id = queuedMessage.threadId
      where attachmentUse.attachmentId = attachment.id and attachmentUse.holder = 'queuedMessage' and thread.deletedAt is null
  )
)`

/** An upload that was not sent yet is on its way to a message. */
const takesRoomSql = `(not exists (select 1 from attachmentUse where attachmentId = attachment.id) or ${isInSightSql})`

/** `files`: the condition that their rows meet, of one person. What they show is looked at only where their bytes alone leave no room. */
export function hasRoomSql(files: string, sizeBytes: string, maxBytes: string): string {
  const stored = `(select coalesce(sum(sizeBytes), 0) from attachment where ${files})`
  const inSight = `(select coalesce(sum(sizeBytes), 0) from attachment where ${files} and ${takesRoomSql})`
  return `(${stored} + ${sizeBytes} <= ${maxBytes}
    or (${stored} + ${sizeBytes} <= 2 * ${maxBytes} and ${inSight} + ${sizeBytes} <= ${maxBytes}))`
}
