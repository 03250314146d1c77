-- Saved prompts, the prompts that members share with their organization, and drafts of messages.

-- Content.
create table prompt (
  id        text primary key not null,
  userId    text not null,
  name      text not null,
  text      text not null,
  createdAt integer not null,
  updatedAt integer not null,
  deletedAt integer
);
-- Prompts of a user by id, to build a replica page by page.
create index prompt_user on prompt (userId, id);
-- The cleanup job removes prompts that were deleted long ago.
create index prompt_deleted on prompt (deletedAt) where deletedAt is not null;

-- The text in the composer of a thread; a null threadId: of the next new thread. An ended draft has an empty text and `deletedAt`.
create table draft (
  id        text primary key not null,
  userId    text not null,
  threadId  text references thread (id) on delete cascade,
  text      text not null,
  -- Chosen by the browser that writes. A browser writes only over the revision that it has seen.
  revision  text not null,
  updatedAt integer not null,
  deletedAt integer
);
create index draft_user on draft (userId, id);
create index draft_thread on draft (threadId) where threadId is not null;
create index draft_deleted on draft (deletedAt) where deletedAt is not null;

-- Directory: the copy of a prompt for the members of an organization. It ends with the author's membership.
create table sharedPrompt (
  -- The id of the prompt.
  id             text primary key not null,
  organizationId text not null references organization (id) on delete cascade,
  memberId       text not null references member (id) on delete cascade,
  userId         text not null,
  name           text not null,
  text           text not null,
  -- A write that arrives late does not replace a newer one (worker/db/writes.ts).
  updatedAt      integer not null,
  -- No longer shared; name and text are empty.
  deletedAt      integer
);
create index sharedPrompt_organization on sharedPrompt (organizationId, id);
create index sharedPrompt_member on sharedPrompt (memberId);
create index sharedPrompt_deleted on sharedPrompt (deletedAt) where deletedAt is not null;

-- worker/contract/limits.ts: maxPrompts, maxSharedPrompts. The mutators refuse earlier; two devices or members can pass them at once.
create trigger prompt_limit before insert on prompt
  when (select count(*) from prompt where userId = new.userId) >= 200 begin
  select raise(abort, 'prompt_limit_reached');
end;
-- Ended copies count until they are purged after a day, so that sharing in turns adds no more rows. A repeated insert changes the existing row.
create trigger sharedPrompt_limit before insert on sharedPrompt
  when not exists (select 1 from sharedPrompt where id = new.id)
    and (select count(*) from sharedPrompt where organizationId = new.organizationId) >= 100 begin
  select raise(abort, 'shared_prompt_limit_reached');
end;
create trigger sharedPrompt_moved_limit before update of organizationId on sharedPrompt
  when new.organizationId <> old.organizationId
    and (select count(*) from sharedPrompt where organizationId = new.organizationId) >= 100 begin
  select raise(abort, 'shared_prompt_limit_reached');
end;

-- A draft has the owner of its thread, as a message (0003). Linking a guest changes the owner of the thread first.
create trigger draft_thread_inserted before insert on draft
  when new.threadId is not null and not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger draft_thread_updated before update of threadId, userId on draft
  when new.threadId is not null and not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;

-- Both count as content (0006). A draft counts its bytes only, because each thread has at most one, and the thread is counted.
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

-- Generated by `npm run generate` from worker/db/feed-tables.ts: the triggers that write the change feeds.
-- A trigger adds one row for a change, in the transaction of the change. An update of columns that are not synced adds none.

create trigger feed_prompt_inserted after insert on prompt begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || new.userId, 'prompt', new.id, 'i');
end;

create trigger feed_prompt_updated after update on prompt
  when new.id = old.id and new.userId = old.userId
    and (new.name, new.text, new.createdAt, new.updatedAt, new.deletedAt) is not (old.name, old.text, old.createdAt, old.updatedAt, old.deletedAt) begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || new.userId, 'prompt', new.id, 'u');
end;

create trigger feed_prompt_moved after update of id, userId on prompt
  when new.id <> old.id or new.userId <> old.userId begin
  insert into contentChange (scope, tbl, rowId, op) values
    ('user:' || old.userId, 'prompt', old.id, 'd'),
    ('user:' || new.userId, 'prompt', new.id, 'i');
end;

create trigger feed_prompt_deleted after delete on prompt begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || old.userId, 'prompt', old.id, 'd');
end;

create trigger feed_draft_inserted after insert on draft begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || new.userId, 'draft', new.id, 'i');
end;

create trigger feed_draft_updated after update on draft
  when new.id = old.id and new.userId = old.userId
    and (new.threadId, new.text, new.revision, new.updatedAt, new.deletedAt) is not (old.threadId, old.text, old.revision, old.updatedAt, old.deletedAt) begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || new.userId, 'draft', new.id, 'u');
end;

create trigger feed_draft_moved after update of id, userId on draft
  when new.id <> old.id or new.userId <> old.userId begin
  insert into contentChange (scope, tbl, rowId, op) values
    ('user:' || old.userId, 'draft', old.id, 'd'),
    ('user:' || new.userId, 'draft', new.id, 'i');
end;

create trigger feed_draft_deleted after delete on draft begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || old.userId, 'draft', old.id, 'd');
end;

create trigger feed_sharedPrompt_inserted after insert on sharedPrompt begin
  insert into directoryChange (scope, tbl, rowId, op) values ('org:' || new.organizationId, 'sharedPrompt', new.id, 'i');
end;

create trigger feed_sharedPrompt_updated after update on sharedPrompt
  when new.id = old.id and new.organizationId = old.organizationId
    and (new.memberId, new.userId, new.name, new.text, new.updatedAt, new.deletedAt) is not (old.memberId, old.userId, old.name, old.text, old.updatedAt, old.deletedAt) begin
  insert into directoryChange (scope, tbl, rowId, op) values ('org:' || new.organizationId, 'sharedPrompt', new.id, 'u');
end;

create trigger feed_sharedPrompt_moved after update of id, organizationId on sharedPrompt
  when new.id <> old.id or new.organizationId <> old.organizationId begin
  insert into directoryChange (scope, tbl, rowId, op) values
    ('org:' || old.organizationId, 'sharedPrompt', old.id, 'd'),
    ('org:' || new.organizationId, 'sharedPrompt', new.id, 'i');
end;

create trigger feed_sharedPrompt_deleted after delete on sharedPrompt
  when exists (select 1 from organization where id = old.organizationId) begin
  insert into directoryChange (scope, tbl, rowId, op) values ('org:' || old.organizationId, 'sharedPrompt', old.id, 'd');
end;
