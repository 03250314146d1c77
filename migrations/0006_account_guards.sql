-- Rules of a whole account: guests that are linked, accounts that are deleted, and how much an account stores.

-- A guest who was linked to an account: all rows of the guest have the account as their owner. Turns that were started for the guest end for the
-- account, and writes as the guest are refused. The limits are those of the account's plan, and null when nothing is to be checked.
-- If the account has another content database, the row is in both: in the guest's database, with `isElsewhere`, from before the rows are copied.
-- The cleanup job deletes the row when no token and no turn of the guest can be left.
create table handover (
  guestId      text primary key not null,
  accountId    text not null,
  createdAt    integer not null,
  maxBytes     integer,
  maxRows      integer,
  maxFileBytes integer,
  isElsewhere  integer not null default 0,
  -- Null while steps of the linking are left.
  finishedAt   integer
);
create index handover_account on handover (accountId);
create index handover_created on handover (createdAt);
create index handover_unfinished on handover (createdAt) where finishedAt is null;

-- Every mutation updates the progress of its client, so the first two guards refuse all mutations of a guest after the linking.
-- Messages and ledger entries need a thread or a turn, which the guards below refuse.
create trigger clientProgress_handed_over_inserted before insert on clientProgress
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;
create trigger clientProgress_handed_over_updated before update of lastMutationID on clientProgress
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;
create trigger thread_handed_over before insert on thread
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;
create trigger queuedMessage_handed_over before insert on queuedMessage
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;
create trigger generation_handed_over before insert on generation
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;
-- A file that a model made has the account as its owner, which may have another database.
create trigger attachment_handed_over before insert on attachment
  when exists (select 1 from handover where guestId = new.userId or accountId = new.userId and isElsewhere = 1) begin
  select raise(abort, 'handed_over');
end;

-- An account that is being deleted. Inserted before anything of the account is removed, so that the guards refuse what its clients still send.
-- The cleanup job deletes the row when no request, token or turn of the account can be left.
create table departure (
  userId    text primary key not null,
  startedAt integer not null,
  -- Null while a write that was in flight may still arrive.
  settledAt integer
);
create index departure_started on departure (startedAt);
create index departure_unsettled on departure (startedAt) where settledAt is null;

-- The guards refuse all mutations and everything new of the account. Messages and ledger entries need a thread or a turn, which the guards below refuse.
create trigger clientProgress_departed_inserted before insert on clientProgress
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger clientProgress_departed_updated before update of lastMutationID on clientProgress
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger thread_departed before insert on thread
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger queuedMessage_departed before insert on queuedMessage
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger generation_departed before insert on generation
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger attachment_departed before insert on attachment
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
-- Repeating a linking that exists inserts nothing and is allowed.
create trigger handover_departed before insert on handover
  when exists (select 1 from departure where userId in (new.guestId, new.accountId))
    and not exists (select 1 from handover where guestId = new.guestId) begin
  select raise(abort, 'account_gone');
end;

-- How much each user stores as threads, messages and queued messages. Triggers count every write in its own transaction.
-- A deleted row counts until it is removed, because it can be restored until then.
create table contentUse (
  userId  text primary key not null,
  -- Stored text in UTF-8 bytes: message JSON, thread titles, text and file lists (JSON) of queued messages.
  bytes   integer not null default 0,
  rows    integer not null default 0,
  -- The limits of the user's plan at the last checked write. Writing them runs the guard below.
  maxBytes integer,
  maxRows  integer,
  -- Forks made on forkDay, in UTC days since the epoch. maxForks is the limit at the last fork.
  forks    integer not null default 0,
  forkDay  integer not null default 0,
  maxForks integer
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

create trigger message_counted after insert on message begin
  insert into contentUse (userId, bytes, rows) values (new.userId, length(cast(new.message as blob)), 1)
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
  when new.bytes / 16384 <> old.bytes / 16384 or new.rows / 4 <> old.rows / 4 begin
  update usage set contentBytes = new.bytes / 16384 * 16384, contentRows = new.rows / 4 * 4 where userId = new.userId;
end;
create trigger contentUse_first_shown after insert on contentUse when new.bytes >= 16384 or new.rows >= 4 begin
  update usage set contentBytes = new.bytes / 16384 * 16384, contentRows = new.rows / 4 * 4 where userId = new.userId;
end;
create trigger contentUse_forks_shown after update of forks on contentUse when new.forks <> old.forks or new.forkDay <> old.forkDay begin
  update usage set forks = new.forks, forkDay = new.forkDay where userId = new.userId;
end;
-- Fills the columns when a lost usage row is inserted again.
create trigger usage_content_restored after insert on usage
  when exists (select 1 from contentUse where userId = new.userId and (bytes >= 16384 or rows >= 4 or forks > 0)) begin
  update usage
    set contentBytes = content.bytes / 16384 * 16384, contentRows = content.rows / 4 * 4, forks = content.forks, forkDay = content.forkDay
    from contentUse content where content.userId = new.userId and usage.userId = new.userId;
end;

-- Linking moves rows and files of the guest to the account. An account that is already over a limit is refused; otherwise linking guest after guest
-- could store any amount.
create trigger handover_room before insert on handover
  when not exists (select 1 from handover where guestId = new.guestId)
    and (
      exists (select 1 from contentUse where userId = new.accountId and (bytes > new.maxBytes or rows > new.maxRows))
      -- As for uploads (worker/db/file-storage-limit.ts): all files together may take twice the limit.
      or (select sum(sizeBytes) from attachment where userId = new.accountId) > 2 * new.maxFileBytes
      or (select sum(sizeBytes) from attachment
            where userId = new.accountId
              and (not exists (select 1 from attachmentUse where attachmentId = attachment.id)
                or exists (select 1 from attachmentUse where attachmentId = attachment.id and hiddenSince is null))
         ) > new.maxFileBytes
    ) begin
  select raise(abort, 'account_full');
end;

-- worker/contract/limits.ts: maxClientsPerGroup. Writers first delete rows of clients that are gone (worker/db/progress.ts).
create trigger clientProgress_bound before insert on clientProgress
  when not exists (
      select 1 from clientProgress
        where userId = new.userId and clientGroupID = new.clientGroupID and clientID = new.clientID
    )
    and (select count(*) from clientProgress where userId = new.userId and clientGroupID = new.clientGroupID) >= 1000 begin
  select raise(abort, 'too_many_clients');
end;
