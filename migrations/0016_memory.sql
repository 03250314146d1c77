-- Content: memory, the facts about a user that are found in the messages of the user (worker/contract/threads/memories.ts).

-- The switch of the user. Null: off.
alter table setting add column isMemoryOn integer;
-- 1: off in the threads of the project.
alter table project add column isMemoryOff integer;
-- 1: the user typed the text.
alter table queuedMessage add column isTyped integer;

-- A message is read for facts once, at the end of a turn. `memoryBy`: the turn that does it, claimed before its request. `memoryDay`: the UTC day,
-- for the daily limit. `memoryAt`: when its facts were stored.
alter table message add column memoryBy text;
alter table message add column memoryDay integer;
alter table message add column memoryAt integer;
create index message_memory on message (userId, memoryDay) where memoryDay is not null;

create table memory (
  -- The id of the message plus a number, so that a repeated write inserts nothing.
  id           text primary key not null,
  userId       text not null,
  threadId     text not null,
  -- No foreign keys: a fact that the user has edited stays without its message.
  messageId    text not null,
  -- JSON: the ids of the message and of all messages above it.
  path         text not null,
  text         text not null,
  isPinned     integer,
  editedAt     integer,
  -- JSON: makers of models that do not receive the fact.
  barredMakers text,
  createdAt    integer not null,
  updatedAt    integer not null,
  deletedAt    integer
);
-- Facts of a user by id, to build a replica page by page.
create index memory_user on memory (userId, id);
create index memory_message on memory (messageId);
-- The cleanup job removes facts that were deleted long ago.
create index memory_deleted on memory (deletedAt) where deletedAt is not null;

-- A fact is from a message of its owner.
create trigger memory_message_inserted before insert on memory
  when new.editedAt is null
    and not exists (select 1 from message where id = new.messageId and threadId = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger message_memory_purged after delete on message begin
  delete from memory where messageId = old.id and editedAt is null;
end;

-- Facts count towards the stored content, as prompts do (0007).
create trigger memory_counted after insert on memory begin
  insert into contentUse (userId, bytes, rows) values (new.userId, length(cast(new.path || new.text as blob)), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger memory_resized after update of text on memory
  when new.userId = old.userId and length(cast(new.text as blob)) <> length(cast(old.text as blob)) begin
  update contentUse set bytes = bytes + length(cast(new.text as blob)) - length(cast(old.text as blob)) where userId = new.userId;
end;
create trigger memory_moved after update of userId on memory when new.userId <> old.userId begin
  update contentUse set bytes = bytes - length(cast(old.path || old.text as blob)), rows = rows - 1 where userId = old.userId;
  insert into contentUse (userId, bytes, rows) values (new.userId, length(cast(new.path || new.text as blob)), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger memory_uncounted after delete on memory begin
  update contentUse set bytes = bytes - length(cast(old.path || old.text as blob)), rows = rows - 1 where userId = old.userId;
end;
