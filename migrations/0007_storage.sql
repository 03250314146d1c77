-- Content: how much each user stores and changes. Triggers count every write in its own transaction.

-- Threads, messages, queued messages, prompts and drafts. A deleted row counts until it is removed, because it can be restored until then.
create table contentUse (
  userId       text primary key not null,
  -- Stored text in UTF-8 bytes: message JSON, thread titles, text and file lists (JSON) of queued messages, prompts and drafts.
  bytes        integer not null default 0,
  rows         integer not null default 0,
  -- The limits of the user's plan at the last checked write. Writing them runs the guard below.
  maxBytes     integer,
  maxRows      integer,
  -- Forks made on forkDay, in UTC days since the epoch. maxForks is the limit at the last fork.
  forks        integer not null default 0,
  forkDay      integer not null default 0,
  maxForks     integer,
  -- Mutations made on mutationDay. Every mutation leaves a row of the feed or a refusal, so the day's number bounds both
  -- (worker/contract/limits.ts: mutationsPerDay).
  mutations    integer not null default 0,
  -- It never decreases, so a slow clock cannot restart a day's count.
  mutationDay  integer not null default 0,
  -- `bytes` and `rows` at the last checked write of the user. The next checked write counts the difference for the network of a guest.
  checkedBytes integer not null default 0,
  checkedRows  integer not null default 0,
  -- Set while a batch writes many messages: the highest rowid of `message` before them. The rows above it are counted together when the batch
  -- sets it to null again (worker/db/content-use.ts). The batch is one transaction, so that the value is visible in it only.
  countFrom    integer
) without rowid;

create trigger thread_counted after insert on thread begin
  insert into contentUse (userId, bytes, rows) values (new.userId, coalesce(length(cast(new.title as blob)), 0), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger thread_resized after update of title on thread
  when new.userId = old.userId
    and coalesce(length(cast(new.title as blob)), 0) <> coalesce(length(cast(old.title as blob)), 0) begin
  update contentUse
    set bytes = bytes + coalesce(length(cast(new.title as blob)), 0) - coalesce(length(cast(old.title as blob)), 0)
    where userId = new.userId;
end;
create trigger thread_moved after update of userId on thread when new.userId <> old.userId begin
  update contentUse set bytes = bytes - coalesce(length(cast(old.title as blob)), 0), rows = rows - 1 where userId = old.userId;
  insert into contentUse (userId, bytes, rows) values (new.userId, coalesce(length(cast(new.title as blob)), 0), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger thread_uncounted after delete on thread begin
  update contentUse set bytes = bytes - coalesce(length(cast(old.title as blob)), 0), rows = rows - 1 where userId = old.userId;
end;

create trigger message_counted after insert on message
  when not exists (select 1 from contentUse where userId = new.userId and countFrom is not null) begin
  insert into contentUse (userId, bytes, rows) values (new.userId, octet_length(new.message), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger message_resized after update of message on message
  when new.userId = old.userId and length(cast(new.message as blob)) <> length(cast(old.message as blob)) begin
  update contentUse set bytes = bytes + length(cast(new.message as blob)) - length(cast(old.message as blob)) where userId = new.userId;
end;
create trigger message_moved after update of userId on message when new.userId <> old.userId begin
  update contentUse set bytes = bytes - length(cast(old.message as blob)), rows = rows - 1 where userId = old.userId;
  insert into contentUse (userId, bytes, rows) values (new.userId, length(cast(new.message as blob)), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger message_uncounted after delete on message begin
  update contentUse set bytes = bytes - length(cast(old.message as blob)), rows = rows - 1 where userId = old.userId;
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

create trigger queuedMessage_counted after insert on queuedMessage begin
  insert into contentUse (userId, bytes, rows)
    values (new.userId, length(cast(new.text as blob)) + coalesce(length(cast(new.files as blob)), 0), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger queuedMessage_resized after update of text, files on queuedMessage
  when new.userId = old.userId
    and length(cast(new.text as blob)) + coalesce(length(cast(new.files as blob)), 0)
      <> length(cast(old.text as blob)) + coalesce(length(cast(old.files as blob)), 0) begin
  update contentUse
    set bytes = bytes + length(cast(new.text as blob)) + coalesce(length(cast(new.files as blob)), 0)
      - length(cast(old.text as blob)) - coalesce(length(cast(old.files as blob)), 0)
    where userId = new.userId;
end;
create trigger queuedMessage_moved after update of userId on queuedMessage when new.userId <> old.userId begin
  update contentUse
    set bytes = bytes - length(cast(old.text as blob)) - coalesce(length(cast(old.files as blob)), 0), rows = rows - 1
    where userId = old.userId;
  insert into contentUse (userId, bytes, rows)
    values (new.userId, length(cast(new.text as blob)) + coalesce(length(cast(new.files as blob)), 0), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger queuedMessage_uncounted after delete on queuedMessage begin
  update contentUse
    set bytes = bytes - length(cast(old.text as blob)) - coalesce(length(cast(old.files as blob)), 0), rows = rows - 1
    where userId = old.userId;
end;

create trigger prompt_counted after insert on prompt begin
  insert into contentUse (userId, bytes, rows) values (new.userId, length(cast(new.name || new.text as blob)), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger prompt_resized after update of name, text on prompt
  when new.userId = old.userId and length(cast(new.name || new.text as blob)) <> length(cast(old.name || old.text as blob)) begin
  update contentUse
    set bytes = bytes + length(cast(new.name || new.text as blob)) - length(cast(old.name || old.text as blob))
    where userId = new.userId;
end;
create trigger prompt_moved after update of userId on prompt when new.userId <> old.userId begin
  update contentUse set bytes = bytes - length(cast(old.name || old.text as blob)), rows = rows - 1 where userId = old.userId;
  insert into contentUse (userId, bytes, rows) values (new.userId, length(cast(new.name || new.text as blob)), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger prompt_uncounted after delete on prompt begin
  update contentUse set bytes = bytes - length(cast(old.name || old.text as blob)), rows = rows - 1 where userId = old.userId;
end;

-- A draft counts its bytes only, because each thread has at most one, and the thread is counted.
create trigger draft_counted after insert on draft begin
  insert into contentUse (userId, bytes) values (new.userId, length(cast(new.text as blob)))
    on conflict (userId) do update set bytes = bytes + excluded.bytes;
end;
create trigger draft_resized after update of text on draft
  when new.userId = old.userId and length(cast(new.text as blob)) <> length(cast(old.text as blob)) begin
  update contentUse set bytes = bytes + length(cast(new.text as blob)) - length(cast(old.text as blob)) where userId = new.userId;
end;
create trigger draft_moved after update of userId on draft when new.userId <> old.userId begin
  update contentUse set bytes = bytes - length(cast(old.text as blob)) where userId = old.userId;
  insert into contentUse (userId, bytes) values (new.userId, length(cast(new.text as blob)))
    on conflict (userId) do update set bytes = bytes + excluded.bytes;
end;
create trigger draft_uncounted after delete on draft begin
  update contentUse set bytes = bytes - length(cast(old.text as blob)) where userId = old.userId;
end;

-- A user's own write is checked after the write, in the same batch. The end of an answer is not checked, so that a running answer is stored.
create trigger contentUse_limit before update of maxBytes, maxRows on contentUse
  when new.bytes > new.maxBytes or new.rows > new.maxRows begin
  select raise(abort, 'content_full');
end;
create trigger contentUse_forks before update of forks on contentUse
  when new.forks > old.forks and new.forks > new.maxForks begin
  select raise(abort, 'fork_limit_reached');
end;

-- `usage` shows the counts to the client, rounded down to steps of 16384 bytes and 4 rows, so that most writes do not change it.
-- worker/contract/limits.ts: contentStepBytes, contentStepRows.
create trigger contentUse_shown after update of bytes, rows on contentUse
  when new.countFrom is null and (new.bytes / 16384 <> old.bytes / 16384 or new.rows / 4 <> old.rows / 4) begin
  update usage set contentBytes = new.bytes / 16384 * 16384, contentRows = new.rows / 4 * 4 where userId = new.userId;
end;
create trigger contentUse_first_shown after insert on contentUse when new.bytes >= 16384 or new.rows >= 4 begin
  update usage set contentBytes = new.bytes / 16384 * 16384, contentRows = new.rows / 4 * 4 where userId = new.userId;
end;
create trigger contentUse_forks_shown after update of forks on contentUse when new.forks <> old.forks or new.forkDay <> old.forkDay begin
  update usage set forks = new.forks, forkDay = new.forkDay where userId = new.userId;
end;
-- `usage` shows mutations in steps of 100 (worker/contract/limits.ts: mutationStep).
-- One push can make a whole step: as the first push of a user, or as the first push of a day after a day that ended in the same step.
create trigger contentUse_mutations_shown after update of mutations on contentUse
  when new.mutations / 100 <> old.mutations / 100 or new.mutations >= 100 and new.mutationDay <> old.mutationDay begin
  update usage set mutations = new.mutations / 100 * 100, mutationDay = new.mutationDay where userId = new.userId;
end;
create trigger contentUse_first_mutations_shown after insert on contentUse when new.mutations >= 100 begin
  update usage set mutations = new.mutations / 100 * 100, mutationDay = new.mutationDay where userId = new.userId;
end;
-- Fills the columns when a lost usage row is inserted again.
create trigger usage_content_restored after insert on usage
  when exists (select 1 from contentUse where userId = new.userId and (bytes >= 16384 or rows >= 4 or forks > 0 or mutations >= 100)) begin
  update usage
    set contentBytes = content.bytes / 16384 * 16384, contentRows = content.rows / 4 * 4, forks = content.forks, forkDay = content.forkDay,
      mutations = content.mutations / 100 * 100, mutationDay = content.mutationDay
    from contentUse content where content.userId = new.userId and usage.userId = new.userId;
end;

-- What guests store per UTC day, by network and for all guests, in addition to the limit of each guest.
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
