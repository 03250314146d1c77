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

-- What is deleted now. Below a message: whatever was deleted first above it.
with recursive hidden (id, threadId, since) as (
  select message.id, message.threadId, message.deletedAt from message where message.deletedAt is not null
  union
  select below.id, below.threadId, hidden.since from hidden join message below on below.threadId = hidden.threadId and below.parentId = hidden.id
)
update attachmentUse set hiddenSince = (select min(since) from hidden where hidden.id = holderId)
  where holder = 'message' and holderId in (select id from hidden);
update attachmentUse set hiddenSince = min(coalesce(hiddenSince, deleted.deletedAt), deleted.deletedAt)
  from (select message.id, thread.deletedAt from thread join message on message.threadId = thread.id where thread.deletedAt is not null
        union all
        select queuedMessage.id, thread.deletedAt from thread join queuedMessage on queuedMessage.threadId = thread.id
          where thread.deletedAt is not null) deleted
  where deleted.id = attachmentUse.holderId;
