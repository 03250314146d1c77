-- Content: uploaded and generated files.

-- One row for each file; its owner, name and uses are those of the row. The key of the object in R2 follows from `id`, so that linking a guest
-- changes only `userId`.
create table attachment (
  id            text primary key not null,
  userId        text not null,
  -- Chosen by the client: an upload that is sent twice is one file.
  uploadId      text not null,
  name          text not null,
  mediaType     text not null,
  -- Counts towards the owner's storage as soon as the upload starts; 0 when the object is deleted.
  sizeBytes     integer not null,
  etag          text,
  -- Null while the upload is running.
  storedAt      integer,
  -- Null while a message uses the file; 0 when the last message that used it was removed.
  unusedSince   integer,
  -- The file has no owner any more. The object is deleted first, then this row.
  removedAt     integer,
  createdAt     integer not null,
  -- Models receive a scaled copy of a large image. The copy is the file of the row; the original is a second object in R2.
  -- Counts towards the owner's storage, like sizeBytes. 0 without an original.
  originalBytes integer not null default 0,
  -- The pages of a PDF, counted at its upload (worker/lib/pdf-pages.ts). Null for other files.
  pages         integer,
  -- A copy of a shared thread refers to the object of the original: the row whose object this one shares; null if the object is its own. The
  -- object is deleted with the last row that has not been removed (worker/db/file-store.ts).
  objectId      text
);
create unique index attachment_upload on attachment (userId, uploadId);
-- The cleanup job finds unused and removed files.
create index attachment_unused on attachment (unusedSince) where unusedSince is not null;
create index attachment_removed on attachment (removedAt) where removedAt is not null;
create index attachment_object on attachment (objectId) where objectId is not null;

-- Which messages use a file; a fork uses the files of the messages that it copied. Triggers insert and delete the rows.
-- `hiddenSince`: when the thread, the message or a message above it was deleted; null while the file is visible. Hidden files do not count towards
-- the owner's storage. The code that deletes and restores writes it (worker/db/hidden-files.ts), because a trigger cannot walk down a thread.
create table attachmentUse (
  attachmentId text not null,
  holder       text not null check (holder in ('message', 'queuedMessage', 'project')),
  holderId     text not null,
  hiddenSince  integer,
  primary key (attachmentId, holder, holderId)
) without rowid;
create index attachmentUse_holder on attachmentUse (holderId, holder);
create index attachmentUse_shown on attachmentUse (attachmentId) where hiddenSince is null;

-- Messages, queued messages and projects use stored files of their own user, with the stored name, type, size and pages. Answers are not checked:
-- a turn must be able to end whatever file addresses the model writes. A message that names no file is not parsed.
create trigger message_files_guarded before insert on message
  when instr(new.message, '/api/files/') > 0 and exists (
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
              and pages is json_extract(part.value, '$.pages')
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
            and pages is json_extract(file.value, '$.pages')
      )
  ) begin
  select raise(abort, 'file_missing');
end;
create trigger project_files_guarded before update of files on project
  when exists (
    select 1
      from json_each(coalesce(new.files, '[]')) file
      where not exists (
        select 1 from attachment
          where id = json_extract(file.value, '$.id') and userId = new.userId and storedAt is not null and removedAt is null
            and name = json_extract(file.value, '$.name')
            and mediaType = json_extract(file.value, '$.mediaType')
            and sizeBytes = json_extract(file.value, '$.sizeBytes')
            and pages is json_extract(file.value, '$.pages')
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
-- Mutators add files to an existing project. Only the copy of a guest's project is inserted with files.
create trigger project_files_inserted after insert on project when new.files is not null begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId, hiddenSince)
    select json_extract(file.value, '$.id'), 'project', new.id, new.deletedAt from json_each(new.files) file;
end;
create trigger project_files_used after update of files on project when new.files is not old.files begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId, hiddenSince)
    select json_extract(file.value, '$.id'), 'project', new.id, new.deletedAt from json_each(coalesce(new.files, '[]')) file;
  delete from attachmentUse
    where holderId = new.id and holder = 'project'
      and attachmentId not in (select json_extract(file.value, '$.id') from json_each(coalesce(new.files, '[]')) file);
end;
-- The files of a deleted project do not count towards the storage until it is restored.
create trigger project_files_hidden after update of deletedAt on project when new.deletedAt is not old.deletedAt begin
  update attachmentUse set hiddenSince = new.deletedAt where holderId = new.id and holder = 'project';
end;

create trigger message_files_left after delete on message begin
  delete from attachmentUse where holderId = old.id and holder = 'message';
end;
create trigger queuedMessage_files_left after delete on queuedMessage begin
  delete from attachmentUse where holderId = old.id and holder = 'queuedMessage';
end;
create trigger project_files_left after delete on project begin
  delete from attachmentUse where holderId = old.id and holder = 'project';
end;

create trigger attachmentUse_inserted after insert on attachmentUse begin
  update attachment set unusedSince = null where id = new.attachmentId;
end;
-- A file of a removed queued message may be sent again from a draft, and a file that was taken out of a project may be put back, so its time starts
-- now. A file of a removed message may go at once.
create trigger attachmentUse_deleted after delete on attachmentUse begin
  update attachment
    set unusedSince = case old.holder when 'message' then 0 else cast(unixepoch('subsec') * 1000 as integer) end
    where id = old.attachmentId and not exists (select 1 from attachmentUse where attachmentId = old.attachmentId);
end;
