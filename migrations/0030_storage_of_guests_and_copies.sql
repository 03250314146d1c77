-- Guests: storage per UTC day for the guests of one network and for all guests, in addition to the limit of each guest. Deleting frees nothing.
-- Files: a copy of a shared thread refers to the object of the original. Counting: once for a mutation that writes many messages.

-- Counted like `credits`, in the row of the network and in that of all guests (network = '').
alter table guestUse add column bytes integer not null default 0;
alter table guestUse add column rows integer not null default 0;
alter table guestUse add column fileBytes integer not null default 0;

-- `bytes` and `rows` at the last checked write of the user. The next checked write counts the difference for the network.
alter table contentUse add column checkedBytes integer not null default 0;
alter table contentUse add column checkedRows integer not null default 0;
update contentUse set checkedBytes = bytes, checkedRows = rows;

-- worker/contract/storage-limits.ts: guestNetworkStoredPerDay, allGuestsStoredPerDay. One guest stores less than a network may, so an insert exceeds none.
create trigger guestUse_limit before update of bytes, rows, fileBytes on guestUse
  when new.bytes > iif(new.network = '', 134217728, 16777216)
    or new.rows > iif(new.network = '', 100000, 4000)
    or new.fileBytes > iif(new.network = '', 4294967296, 209715200) begin
  select raise(abort, 'guest_storage_reached');
end;
create trigger contentUse_guest_counted after update of checkedBytes, checkedRows on contentUse
  when (new.checkedBytes > old.checkedBytes or new.checkedRows > old.checkedRows)
    and exists (select 1 from guestNetwork where userId = new.userId) begin
  insert into guestUse (day, network, credits, bytes, rows)
    select unixepoch() / 86400, network, 0, max(0, new.checkedBytes - old.checkedBytes), max(0, new.checkedRows - old.checkedRows)
      from guestNetwork where userId = new.userId
    union all select unixepoch() / 86400, '', 0, max(0, new.checkedBytes - old.checkedBytes), max(0, new.checkedRows - old.checkedRows)
    on conflict (day, network) do update set bytes = bytes + excluded.bytes, rows = rows + excluded.rows;
end;

-- The row of a copied file has its own owner, name and uses. `objectId`: the row whose object it shares; null if the object is its own. The
-- object is deleted with the last row that has not been removed (worker/db/file-store.ts).
alter table attachment add column objectId text;
create index attachment_object on attachment (objectId) where objectId is not null;

-- Uploads and originals. A file that a model made costs credits, and a copy stores no bytes.
create trigger attachment_guest_counted after insert on attachment
  when new.objectId is null and instr(new.uploadId, ':') = 0 and exists (select 1 from guestNetwork where userId = new.userId) begin
  insert into guestUse (day, network, credits, fileBytes)
    select unixepoch() / 86400, network, 0, new.sizeBytes from guestNetwork where userId = new.userId
    union all select unixepoch() / 86400, '', 0, new.sizeBytes
    on conflict (day, network) do update set fileBytes = fileBytes + excluded.fileBytes;
end;
create trigger attachment_original_guest_counted after update of originalBytes on attachment
  when new.originalBytes > old.originalBytes and exists (select 1 from guestNetwork where userId = new.userId) begin
  insert into guestUse (day, network, credits, fileBytes)
    select unixepoch() / 86400, network, 0, new.originalBytes - old.originalBytes from guestNetwork where userId = new.userId
    union all select unixepoch() / 86400, '', 0, new.originalBytes - old.originalBytes
    on conflict (day, network) do update set fileBytes = fileBytes + excluded.fileBytes;
end;

-- Set while a batch writes many messages: the highest rowid of `message` before them. The rows above it are counted together when the batch
-- sets it to null again (worker/db/content-use.ts). The batch is one transaction, so that the value is visible in it only.
alter table contentUse add column countFrom integer;

drop trigger message_counted;
create trigger message_counted after insert on message
  when not exists (select 1 from contentUse where userId = new.userId and countFrom is not null) begin
  insert into contentUse (userId, bytes, rows) values (new.userId, octet_length(new.message), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
drop trigger contentUse_shown;
create trigger contentUse_shown after update of bytes, rows on contentUse
  when new.countFrom is null and (new.bytes / 16384 <> old.bytes / 16384 or new.rows / 4 <> old.rows / 4) begin
  update usage set contentBytes = new.bytes / 16384 * 16384, contentRows = new.rows / 4 * 4 where userId = new.userId;
end;
create trigger contentUse_counted after update of countFrom on contentUse when old.countFrom is not null and new.countFrom is null begin
  -- The plus keeps SQLite from reading all messages of the user.
  update contentUse set bytes = contentUse.bytes + added.bytes, rows = contentUse.rows + added.rows
    from (
      select coalesce(sum(octet_length(message)), 0) bytes, count(*) rows from message
        where rowid > old.countFrom and +userId = new.userId
    ) added
    where contentUse.userId = new.userId;
  update usage
    set contentBytes = content.bytes / 16384 * 16384, contentRows = content.rows / 4 * 4
    from contentUse content where content.userId = new.userId and usage.userId = new.userId;
end;

-- As before, without copying the text, and without parsing a message that names no file.
drop trigger message_size_inserted;
create trigger message_size_inserted before insert on message when octet_length(new.message) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
drop trigger message_files_guarded;
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
