-- Since when a use of a file is in no sight, because its thread, its message or one above it was deleted; null while it is shown. What is
-- deleted takes no room in a person's storage, and so nobody has to look for it through forks and threads when a file comes. Kept by
-- whoever deletes and restores (worker/db/hidden-files.ts), in the same batch: a trigger cannot follow a thread downwards.
alter table attachmentUse add column hiddenSince integer;
-- Whether any use of a file is in sight.
create index attachmentUse_shown on attachmentUse (attachmentId) where hiddenSince is null;

-- An answer is written on in a deleted thread while that can be undone.
drop trigger message_files_used;
create trigger message_files_used after insert on message when instr(new.message, '"/api/files/') > 0 begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId, hiddenSince)
    select attachment.id, 'message', new.id, (select deletedAt from thread where id = new.threadId)
      from json_each(case when json_valid(new.message) then new.message end, '$.parts') part
        join attachment on attachment.id = substr(case part.type when 'object' then json_extract(part.value, '$.url') end, 12)
      where attachment.userId = new.userId
        and case part.type when 'object' then json_extract(part.value, '$.url') end like '/api/files/%';
end;
drop trigger queuedMessage_files_used;
create trigger queuedMessage_files_used after insert on queuedMessage begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId, hiddenSince)
    select json_extract(file.value, '$.id'), 'queuedMessage', new.id, (select deletedAt from thread where id = new.threadId)
      from json_each(coalesce(new.files, '[]')) file;
end;

-- What is deleted now. Below a message: whatever was deleted first above it. Each message of a thread in which something was deleted is read
-- once: looked up below each of the others, a long thread alone would take longer than a statement may.
with recursive
  said (id, parentId, deletedAt) as materialized (
    select id, parentId, deletedAt from message where threadId in (select threadId from message where deletedAt is not null)
  ),
  hidden (id, since) as (
    select id, deletedAt from said where deletedAt is not null
    union
    select said.id, hidden.since from hidden join said on said.parentId = hidden.id
  ),
  first (id, since) as materialized (select id, min(since) from hidden group by id)
update attachmentUse set hiddenSince = first.since from first where first.id = attachmentUse.holderId;
update attachmentUse set hiddenSince = min(coalesce(hiddenSince, deleted.deletedAt), deleted.deletedAt)
  from (select message.id, thread.deletedAt from thread join message on message.threadId = thread.id where thread.deletedAt is not null
        union all
        select queuedMessage.id, thread.deletedAt from thread join queuedMessage on queuedMessage.threadId = thread.id
          where thread.deletedAt is not null) deleted
  where deleted.id = attachmentUse.holderId;
