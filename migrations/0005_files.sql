-- Uploaded and generated files.

-- One row for each object in R2. The object's key follows from `id`, so that linking a guest changes only `userId`.
create table attachment (
  id          text primary key not null,
  userId      text not null,
  -- Chosen by the client: an upload that is sent twice is one file.
  uploadId    text not null,
  name        text not null,
  mediaType   text not null,
  -- Counts towards the owner's storage as soon as the upload starts; 0 when the object is deleted.
  sizeBytes   integer not null,
  etag        text,
  -- Null while the upload is running.
  storedAt    integer,
  -- Null while a message uses the file; 0 when the last message that used it was removed.
  unusedSince integer,
  -- The file has no owner any more. The object is deleted first, then this row.
  removedAt   integer,
  createdAt   integer not null
);
create unique index attachment_upload on attachment (userId, uploadId);
-- The cleanup job finds unused and removed files.
create index attachment_unused on attachment (unusedSince) where unusedSince is not null;
create index attachment_removed on attachment (removedAt) where removedAt is not null;

-- Which messages use a file; a fork uses the files of the messages that it copied. Triggers insert and delete the rows.
-- `hiddenSince`: when the thread, the message or a message above it was deleted; null while the file is visible. Hidden files do not count towards
-- the owner's storage. The code that deletes and restores writes it (worker/db/hidden-files.ts), because a trigger cannot walk down a thread.
create table attachmentUse (
  attachmentId text not null,
  holder       text not null check (holder in ('message', 'queuedMessage')),
  holderId     text not null,
  hiddenSince  integer,
  primary key (attachmentId, holder, holderId)
) without rowid;
create index attachmentUse_holder on attachmentUse (holderId, holder);
create index attachmentUse_shown on attachmentUse (attachmentId) where hiddenSince is null;

-- A user's message uses stored files of the same user, with the stored name, type and size. Answers are not checked: a turn must be able to end
-- whatever file addresses the model writes.
create trigger message_files_guarded before insert on message
  when exists (
    select 1
      from json_each(case when json_valid(new.message) then case json_extract(new.message, '$.role') when 'user' then new.message end end, '$.parts') part
      where case part.type when 'object' then json_extract(part.value, '$.url') end like '/api/files/%'
        and not exists (
          select 1 from attachment
            where id = substr(json_extract(part.value, '$.url'), 12) and userId = new.userId
              and storedAt is not null and removedAt is null
              and name = json_extract(part.value, '$.filename')
              and mediaType = json_extract(part.value, '$.mediaType')
              and sizeBytes = json_extract(part.value, '$.sizeBytes')
        )
  ) begin
  select raise(abort, 'file_missing');
end;
create trigger queuedMessage_files_guarded before insert on queuedMessage
  when exists (
    select 1
      from json_each(coalesce(new.files, '[]')) file
      where not exists (
        select 1 from attachment
          where id = json_extract(file.value, '$.id') and userId = new.userId and storedAt is not null and removedAt is null
            and name = json_extract(file.value, '$.name')
            and mediaType = json_extract(file.value, '$.mediaType')
            and sizeBytes = json_extract(file.value, '$.sizeBytes')
      )
  ) begin
  select raise(abort, 'file_missing');
end;

-- A message uses only files of its own user. Most messages contain no file address, and their parts are not parsed.
-- A message that is added to a deleted thread starts hidden, because the deletion can be undone.
create trigger message_files_used after insert on message when instr(new.message, '"/api/files/') > 0 begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId, hiddenSince)
    select attachment.id, 'message', new.id, (select deletedAt from thread where id = new.threadId)
      from json_each(case when json_valid(new.message) then new.message end, '$.parts') part
        join attachment on attachment.id = substr(case part.type when 'object' then json_extract(part.value, '$.url') end, 12)
      where attachment.userId = new.userId
        and case part.type when 'object' then json_extract(part.value, '$.url') end like '/api/files/%';
end;
create trigger queuedMessage_files_used after insert on queuedMessage begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId, hiddenSince)
    select json_extract(file.value, '$.id'), 'queuedMessage', new.id, (select deletedAt from thread where id = new.threadId)
      from json_each(coalesce(new.files, '[]')) file;
end;

create trigger message_files_left after delete on message begin
  delete from attachmentUse where holderId = old.id and holder = 'message';
end;
create trigger queuedMessage_files_left after delete on queuedMessage begin
  delete from attachmentUse where holderId = old.id and holder = 'queuedMessage';
end;

create trigger attachmentUse_inserted after insert on attachmentUse begin
  update attachment set unusedSince = null where id = new.attachmentId;
end;
-- A file of a removed queued message may be sent again from a draft, so its time starts now. A file of a removed message may go at once.
create trigger attachmentUse_deleted after delete on attachmentUse begin
  update attachment
    set unusedSince = case old.holder when 'message' then 0 else cast(unixepoch('subsec') * 1000 as integer) end
    where id = old.attachmentId and not exists (select 1 from attachmentUse where attachmentId = old.attachmentId);
end;
