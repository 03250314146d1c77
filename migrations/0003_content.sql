-- The content: what people write, what they chose, what they used. Every row has one owner, `userId`.
-- No foreign key leads to the directory: content is meant to be spread over databases by a hash of its owner.

create table thread (
  id        text primary key not null,
  userId    text not null,
  title     text,
  status    text default 'ready',
  streamId  text,
  headId    text,
  createdAt integer not null,
  updatedAt integer not null,
  deletedAt integer
);
-- The thread list: a person's live threads, newest first.
create index thread_list on thread (userId, deletedAt, updatedAt, id);
-- The tidying job looks for what was deleted long ago.
create index thread_deleted on thread (deletedAt) where deletedAt is not null;

create table message (
  id        text primary key not null,
  threadId  text not null references thread (id) on delete cascade,
  userId    text not null,
  parentId  text,
  message   text not null,
  createdAt integer,
  updatedAt integer
);
create index message_thread on message (threadId, createdAt);
-- A person's messages in pages, when their replica is built.
create index message_user on message (userId, id);

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

-- A projection of creditLedger, kept by the triggers of 0005. The counts are those of `day` (UTC days since the epoch).
create table usage (
  id       text primary key not null,
  userId   text not null unique,
  credits  integer default 0,
  search   integer default 0,
  research integer default 0,
  day      integer
);

-- One assistant turn. Its id is the id of the answer message; it ends once. continueId is the interrupted answer that it goes on with.
create table generation (
  id        text primary key not null,
  userId    text not null,
  threadId  text not null,
  parentId  text not null,
  modelId   text not null,
  -- the interrupted answer that this one continues
  continueId text,
  status    text not null default 'open' check (status in ('open', 'completed', 'stopped', 'interrupted', 'failed')),
  credits    integer not null,
  day        integer not null,
  createdAt  integer not null,
  endedAt    integer,
  error      text
);
-- The tidying job looks for turns that have been open too long.
create index generation_status on generation (status, createdAt);
-- A person's open turns, read with every feed.
create index generation_user on generation (userId, status);
create index generation_thread on generation (threadId);

-- Every change of somebody's credits. `id` is generationId || ':' || kind, so that no turn is reserved, settled or released twice.
create table creditLedger (
  id           text primary key not null,
  userId       text not null,
  generationId text not null,
  kind         text not null check (kind in ('reserve', 'settle', 'release')),
  credits      integer not null,
  day          integer not null,
  dailyLimit   integer,
  createdAt    integer not null
);
create index creditLedger_user on creditLedger (userId, day);

create table attachment (
  id        text primary key not null,
  userId    text not null,
  threadId  text,
  messageId text,
  name      text not null,
  mediaType text not null,
  sizeBytes integer not null,
  objectKey text not null unique,
  createdAt integer not null
);
create index attachment_user on attachment (userId);
create index attachment_message on attachment (messageId);

-- The sync protocol's memory: which mutation of which browser was applied last. Wire names keep the wire's spelling.
create table clientProgress (
  clientGroupID  text not null,
  clientID       text not null,
  userId         text not null,
  lastMutationID integer not null default 0,
  updatedAt      integer not null,
  primary key (clientGroupID, clientID)
);
create index clientProgress_user on clientProgress (userId);

-- Error results that a browser has not acknowledged yet.
create table mutationResult (
  clientGroupID text not null,
  clientID      text not null,
  mutationID    integer not null,
  userId        text not null,
  result        text not null,
  createdAt     integer not null,
  primary key (clientGroupID, clientID, mutationID)
);
create index mutationResult_user on mutationResult (userId);

create table contentChange (
  seq    integer primary key autoincrement,
  userId text not null,
  tbl    text not null,
  rowId  text not null,
  op     text not null check (op in ('i', 'u', 'd')),
  at     integer not null default (cast(unixepoch('subsec') * 1000 as integer))
);
create index contentChange_user on contentChange (userId, seq);
