-- Content: guests that are linked to an account, and accounts that are deleted.

-- A guest who was linked to an account: all rows of the guest have the account as their owner. Turns that were started for the guest end for the
-- account, and writes as the guest are refused. The limits are those of the account's plan, and null when nothing is to be checked.
-- If the account has another content database, the row is in both: in the guest's database, with `isElsewhere`, from before the rows are copied.
-- The cleanup job deletes the row when no token and no turn of the guest can be left.
create table linking (
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
create index linking_account on linking (accountId);
create index linking_created on linking (createdAt);
create index linking_unfinished on linking (createdAt) where finishedAt is null;

-- Every mutation updates the progress of its client, so the first two guards refuse all mutations of a guest after the linking.
-- Messages and ledger entries need a thread or a turn, which the guards below refuse.
create trigger clientProgress_guest_linked_inserted before insert on clientProgress
  when exists (select 1 from linking where guestId = new.userId) begin
  select raise(abort, 'guest_linked');
end;
create trigger clientProgress_guest_linked_updated before update of lastMutationID on clientProgress
  when exists (select 1 from linking where guestId = new.userId) begin
  select raise(abort, 'guest_linked');
end;
create trigger thread_guest_linked before insert on thread
  when exists (select 1 from linking where guestId = new.userId) begin
  select raise(abort, 'guest_linked');
end;
create trigger queuedMessage_guest_linked before insert on queuedMessage
  when exists (select 1 from linking where guestId = new.userId) begin
  select raise(abort, 'guest_linked');
end;
create trigger generation_guest_linked before insert on generation
  when exists (select 1 from linking where guestId = new.userId) begin
  select raise(abort, 'guest_linked');
end;
-- A file that a model made has the account as its owner, which may have another database.
create trigger attachment_guest_linked before insert on attachment
  when exists (select 1 from linking where guestId = new.userId or accountId = new.userId and isElsewhere = 1) begin
  select raise(abort, 'guest_linked');
end;

-- Linking moves rows and files of the guest to the account. An account that is already over a limit is refused; otherwise linking guest after guest
-- could store any amount.
create trigger linking_storage before insert on linking
  when not exists (select 1 from linking where guestId = new.guestId)
    and (
      exists (select 1 from contentUse where userId = new.accountId and (bytes > new.maxBytes or rows > new.maxRows))
      -- As for uploads (worker/db/file-storage-limit.ts): all files together may take twice the limit.
      or (select sum(sizeBytes + originalBytes) from attachment where userId = new.accountId) > 2 * new.maxFileBytes
      or (select sum(sizeBytes + originalBytes) from attachment
            where userId = new.accountId
              and (not exists (select 1 from attachmentUse where attachmentId = attachment.id)
                or exists (select 1 from attachmentUse where attachmentId = attachment.id and hiddenSince is null))
         ) > new.maxFileBytes
    ) begin
  select raise(abort, 'account_full');
end;

-- An account that is being deleted. Inserted before anything of the account is removed, so that the guards refuse what its clients still send.
-- The cleanup job deletes the row when no request, token or turn of the account can be left.
create table accountDeletion (
  userId    text primary key not null,
  startedAt integer not null,
  -- Null while a write that was in flight may still arrive.
  settledAt integer
);
create index accountDeletion_started on accountDeletion (startedAt);
create index accountDeletion_unsettled on accountDeletion (startedAt) where settledAt is null;

-- The guards refuse all mutations and everything new of the account. Messages and ledger entries need a thread or a turn, which the guards below refuse.
create trigger clientProgress_account_deleted_inserted before insert on clientProgress
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
create trigger clientProgress_account_deleted_updated before update of lastMutationID on clientProgress
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
create trigger thread_account_deleted before insert on thread
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
create trigger queuedMessage_account_deleted before insert on queuedMessage
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
create trigger generation_account_deleted before insert on generation
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
create trigger attachment_account_deleted before insert on attachment
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
-- Repeating a linking that exists inserts nothing and is allowed.
create trigger linking_account_deleted before insert on linking
  when exists (select 1 from accountDeletion where userId in (new.guestId, new.accountId))
    and not exists (select 1 from linking where guestId = new.guestId) begin
  select raise(abort, 'account_deleted');
end;
