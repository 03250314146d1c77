-- The content: what users write and choose. Every row has one owner, `userId`. Guards hold for every writer: a guard aborts its statement and the
-- D1 batch around it; worker/db/errors.ts maps the codes.
-- No foreign key refers to the directory (0001), because the content may be in other databases.

create table thread (
  id        text primary key not null,
  userId    text not null,
  title     text,
  status    text default 'ready',
  streamId  text,
  headId    text,
  createdAt integer not null,
  updatedAt integer not null,
  deletedAt integer,
  -- Reasoning effort of the thread; null is the model's default.
  effort    text
);
-- The thread list: threads of a user that are not deleted, newest first.
create index thread_list on thread (userId, deletedAt, updatedAt, id);
-- Threads of a user by id, to build a replica page by page.
create index thread_user on thread (userId, id);
-- The cleanup job removes threads that were deleted long ago.
create index thread_deleted on thread (deletedAt) where deletedAt is not null;

-- A deleted message hides the messages below it; only the message itself is marked.
create table message (
  id        text primary key not null,
  threadId  text not null references thread (id) on delete cascade,
  userId    text not null,
  parentId  text,
  message   text not null,
  createdAt integer,
  updatedAt integer,
  deletedAt integer
);
create index message_thread on message (threadId, createdAt);
-- Messages of a user by id, to build a replica page by page.
create index message_user on message (userId, id);
create index message_deleted on message (deletedAt) where deletedAt is not null;
-- Finds out if a thread has deleted messages without reading them (worker/db/file-storage-limit.ts).
create index message_deleted_thread on message (threadId) where deletedAt is not null;

-- Messages that the user sent while an answer was running, oldest first. The batch that starts the turn deletes the row and inserts a message
-- with the same id. `hold`: why the message waits for the user instead of being sent. `files`: JSON list of {id, name, mediaType, sizeBytes}.
-- `editors`: JSON list of {id, until}; the message is not sent before all editors have expired.
create table queuedMessage (
  id        text primary key not null,
  threadId  text not null references thread (id) on delete cascade,
  userId    text not null,
  answerId  text not null,
  text      text not null,
  modelId   text not null,
  effort    text,
  mode      text,
  hold      text,
  createdAt integer not null,
  files     text,
  editors   text
);
create index queuedMessage_thread on queuedMessage (threadId, createdAt);
create index queuedMessage_user on queuedMessage (userId, id);

create table setting (
  id           text primary key not null,
  userId       text not null unique,
  mode         text default 'dark',
  theme        text default 'default',
  nickname     text,
  biography    text,
  instructions text,
  modelId      text,
  pinnedModels text
);

-- What the client shows of a user's limits. Only triggers write it: of `creditLedger` (0004) and of `contentUse` (0006).
-- Credits, searches and researches are those of `day`, in UTC days since the epoch.
create table usage (
  id           text primary key not null,
  userId       text not null unique,
  credits      integer default 0,
  search       integer default 0,
  research     integer default 0,
  day          integer,
  contentBytes integer default 0,
  contentRows  integer default 0,
  forks        integer default 0,
  forkDay      integer
);

-- The number of the last applied mutation of each client. Client groups are named by browsers, so the user is part of the key.
create table clientProgress (
  userId         text not null,
  clientGroupID  text not null,
  clientID       text not null,
  lastMutationID integer not null default 0,
  updatedAt      integer not null,
  primary key (userId, clientGroupID, clientID)
);

-- Errors of mutations that the client has not acknowledged yet.
create table mutationResult (
  userId        text not null,
  clientGroupID text not null,
  clientID      text not null,
  mutationID    integer not null,
  result        text not null,
  createdAt     integer not null,
  primary key (userId, clientGroupID, clientID, mutationID)
);

-- The change feed of the content, like `directoryChange` (0001). All its scopes are 'user:<id>'.
create table contentChange (
  seq   integer primary key autoincrement,
  scope text not null,
  tbl   text not null,
  rowId text not null,
  op    text not null check (op in ('i', 'u', 'd')),
  at    integer not null default (cast(unixepoch('subsec') * 1000 as integer))
);
create index contentChange_scope on contentChange (scope, seq);

-- Mutations of a client are applied in order, each once. A writer that decided from an older state fails here.
-- Writers insert or ignore a row with lastMutationID 0 and then update it.
create trigger clientProgress_order before update of lastMutationID on clientProgress
  when new.lastMutationID <> old.lastMutationID + 1 begin
  select raise(abort, 'stale_mutation');
end;

-- A message has the owner of its thread. Linking a guest changes the owner of the thread first.
create trigger message_thread_inserted before insert on message
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger message_thread_updated before update of threadId, userId on message
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger queuedMessage_thread_inserted before insert on queuedMessage
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger queuedMessage_thread_updated before update of threadId, userId on queuedMessage
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;

-- Size: D1 stores no row above 2 MB, and the local runtime does not enforce it. worker/contract/limits.ts: maxRowBytes.
create trigger message_size_inserted before insert on message
  when length(cast(new.message as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger message_size_updated before update of message on message
  when length(cast(new.message as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger thread_size_inserted before insert on thread
  when length(cast(new.title as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger thread_size_updated before update of title on thread
  when length(cast(new.title as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger queuedMessage_size_inserted before insert on queuedMessage
  when length(cast(new.text as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger queuedMessage_size_updated before update of text on queuedMessage
  when length(cast(new.text as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger setting_size_inserted before insert on setting
  when length(cast(coalesce(new.nickname, '') || coalesce(new.biography, '') || coalesce(new.instructions, '') || coalesce(new.pinnedModels, '') as blob))
    > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger setting_size_updated before update on setting
  when length(cast(coalesce(new.nickname, '') || coalesce(new.biography, '') || coalesce(new.instructions, '') || coalesce(new.pinnedModels, '') as blob))
    > 1900000 begin
  select raise(abort, 'row_too_large');
end;
