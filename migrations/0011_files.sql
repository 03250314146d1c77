-- Files: one row for each object in R2, whose name follows from the row's id, so that a file changes hands by its userId alone.
-- The attachment table of 0003 was never written; it is replaced, and no row is lost.

drop table attachment;

create table attachment (
  id          text primary key not null,
  userId      text not null,
  -- named by the browser: the same upload, sent again, is the same file
  uploadId    text not null,
  name        text not null,
  mediaType   text not null,
  -- counts towards its owner's storage from the first byte on; 0 when its object is gone
  sizeBytes   integer not null,
  etag        text,
  -- null while its bytes are on their way
  storedAt    integer,
  -- null while a message shows it; 0 when the last message that did is gone for good
  unusedSince integer,
  -- nobody's any more: its object goes first, then the row
  removedAt   integer,
  createdAt   integer not null
);
create unique index attachment_upload on attachment (userId, uploadId);
-- The tidying job looks for what nobody shows.
create index attachment_unused on attachment (unusedSince) where unusedSince is not null;
create index attachment_removed on attachment (removedAt) where removedAt is not null;

-- Which messages show a file, kept by the triggers below: a fork shows the files of what it copied.
create table attachmentUse (
  attachmentId text not null,
  holder       text not null check (holder in ('message', 'queuedMessage')),
  holderId     text not null,
  primary key (attachmentId, holder, holderId)
) without rowid;
create index attachmentUse_holder on attachmentUse (holderId, holder);

-- Files that wait with a queued message: [{"id", "name", "mediaType", "sizeBytes"}]. Existing messages have none.
alter table queuedMessage add column files text;

-- What a person says shows files of their own, as they are stored, or it is not written. A part names its file by its address.
-- What a model says is never looked at here: an answer must end, whatever addresses stand in it.
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

create trigger message_files_used after insert on message begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId)
    select substr(json_extract(part.value, '$.url'), 12), 'message', new.id
      from json_each(case when json_valid(new.message) then case json_extract(new.message, '$.role') when 'user' then new.message end end, '$.parts') part
      where case part.type when 'object' then json_extract(part.value, '$.url') end like '/api/files/%';
end;
create trigger queuedMessage_files_used after insert on queuedMessage begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId)
    select json_extract(file.value, '$.id'), 'queuedMessage', new.id from json_each(coalesce(new.files, '[]')) file;
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
-- What was taken from the queue may be sent again from the draft that it came back to; what was said is over.
create trigger attachmentUse_deleted after delete on attachmentUse begin
  update attachment
    set unusedSince = case old.holder when 'message' then 0 else cast(unixepoch('subsec') * 1000 as integer) end
    where id = old.attachmentId and not exists (select 1 from attachmentUse where attachmentId = old.attachmentId);
end;
