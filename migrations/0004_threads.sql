-- Content: threads with their messages, drafts and links, and the projects, prompts and settings of a user. Every row has one owner, `userId`.

create table thread (
  id           text primary key not null,
  userId       text not null,
  title        text,
  status       text default 'ready',
  streamId     text,
  headId       text,
  createdAt    integer not null,
  updatedAt    integer not null,
  deletedAt    integer,
  -- Reasoning effort of the thread; null is the model's default.
  effort       text,
  -- Sums of the thread's requests. Null: unknown.
  tokens       integer,
  microDollars integer,
  unpriced     integer,
  pinnedAt     integer,
  archivedAt   integer,
  -- May name a deleted project, which counts as none.
  projectId    text,
  -- Unread answers: when an answer ended that no page has shown, and the answer that a page has taken over to notify the user about.
  unreadAt     integer,
  noticedAt    integer,
  -- The end of a temporary thread. Null: the thread has no end.
  expiresAt    integer,
  -- JSON: the answers that the thread shows side by side (worker/contract/comparison.ts).
  compared     text
);
-- Threads of a user by id, to build a replica page by page.
create index thread_user on thread (userId, id);
-- The cleanup job removes threads that were deleted long ago.
create index thread_deleted on thread (deletedAt) where deletedAt is not null;
create index thread_project on thread (projectId) where projectId is not null;
-- The thread list: threads of a user that are neither deleted nor archived, newest first.
create index thread_list on thread (userId, deletedAt, archivedAt, updatedAt, id);
-- The cleanup job finds temporary threads that have ended.
create index thread_expires on thread (expiresAt) where expiresAt is not null;

-- A deleted message hides the messages below it; only the message itself is marked.
create table message (
  id           text primary key not null,
  threadId     text not null references thread (id) on delete cascade,
  userId       text not null,
  parentId     text,
  message      text not null,
  createdAt    integer,
  updatedAt    integer,
  deletedAt    integer,
  -- Negative: hidden, because a message above was deleted; the deletion can be undone.
  bookmarkedAt integer
);
create index message_thread on message (threadId, createdAt);
-- Messages of a user by id, to build a replica page by page.
create index message_user on message (userId, id);
create index message_deleted on message (deletedAt) where deletedAt is not null;
-- Finds out if a thread has deleted messages without reading them (worker/db/file-storage-limit.ts).
create index message_deleted_thread on message (threadId) where deletedAt is not null;

-- Messages that the user sent while an answer was running, oldest first. The batch that starts the turn deletes the row and inserts a message
-- with the same id. `hold`: why the message waits for the user instead of being sent. `files`: JSON list of {id, name, mediaType, sizeBytes}.
create table queuedMessage (
  id          text primary key not null,
  threadId    text not null references thread (id) on delete cascade,
  userId      text not null,
  answerId    text not null,
  text        text not null,
  modelId     text not null,
  effort      text,
  mode        text,
  hold        text,
  createdAt   integer not null,
  files       text,
  -- JSON: the answers of the other models of a comparison.
  compareWith text
);
create index queuedMessage_thread on queuedMessage (threadId, createdAt);
create index queuedMessage_user on queuedMessage (userId, id);

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

-- A public page of one branch of a thread.
-- The page reads the messages from `messageId` up to the first one. Messages on a path do not change, so no copy is stored
-- (docs/decisions/0109-read-shared-pages-from-the-messages.md).
create table share (
  -- The address of the page contains the id, so the id must not be guessable.
  id        text primary key not null,
  userId    text not null,
  threadId  text not null,
  -- The last message of the shared branch. Purging the message deletes its links.
  messageId text not null references message (id) on delete cascade,
  -- The title and the name of the owner as shown on the page. A null name is not shown.
  title     text,
  name      text,
  -- 1 if search engines may list the page.
  isListed  integer not null default 0,
  createdAt integer not null,
  expiresAt integer,
  revokedAt integer
);
-- Links of a user by id, to build a replica page by page.
create index share_user on share (userId, id);
create index share_message on share (messageId);
-- The cleanup job removes revoked and expired links.
create index share_revoked on share (revokedAt) where revokedAt is not null;
create index share_expired on share (expiresAt) where expiresAt is not null;

create table project (
  id           text primary key not null,
  userId       text not null,
  name         text not null,
  -- Names from worker/contract/projects.ts.
  icon         text,
  color        text,
  -- Added to the prompt of every turn in the project's threads.
  instructions text,
  createdAt    integer not null,
  updatedAt    integer not null,
  deletedAt    integer,
  -- The model that new threads start with (worker/contract/projects.ts). No foreign key: models are in the directory.
  modelId      text,
  -- JSON: a list of files as uploads return them. They enter the prompts of the project's threads.
  files        text
);
create index project_user on project (userId, id);
-- The cleanup job removes projects that were deleted long ago.
create index project_deleted on project (deletedAt) where deletedAt is not null;

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

create table setting (
  id           text primary key not null,
  userId       text not null unique,
  mode         text default 'dark',
  theme        text default 'default',
  nickname     text,
  biography    text,
  instructions text,
  modelId      text,
  pinnedModels text,
  -- `en`, `de` or `system`. Null: `system`, the language of the browser.
  language     text
);

-- A message has the owner of its thread, and so have queued messages and drafts. Linking a guest changes the owner of the thread first.
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
create trigger draft_thread_inserted before insert on draft
  when new.threadId is not null and not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger draft_thread_updated before update of threadId, userId on draft
  when new.threadId is not null and not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
-- A link is of a message of its owner.
create trigger share_thread_inserted before insert on share
  when not exists (select 1 from message where id = new.messageId and threadId = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;

-- Size: as for `user` (0001).
create trigger message_size_inserted before insert on message when octet_length(new.message) > 1900000 begin
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

-- worker/contract/limits.ts: maxProjects, maxPrompts, maxShares, sharesPerDay. The mutators refuse earlier; two devices can pass them at once.
create trigger project_limit before insert on project
  when (select count(*) from project where userId = new.userId) >= 100 begin
  select raise(abort, 'project_limit_reached');
end;
create trigger prompt_limit before insert on prompt
  when (select count(*) from prompt where userId = new.userId) >= 200 begin
  select raise(abort, 'prompt_limit_reached');
end;
create trigger share_limit before insert on share
  when (
    select count(*) from share where userId = new.userId and revokedAt is null and (expiresAt is null or expiresAt > new.createdAt)
  ) >= 200 begin
  select raise(abort, 'share_limit_reached');
end;
-- A revoked link stays for a day, so revoking does not restart the count of the day.
create trigger share_day_limit before insert on share
  when (select count(*) from share where userId = new.userId and createdAt > new.createdAt - 86400000) >= 50 begin
  select raise(abort, 'shares_too_often');
end;

create trigger project_purged after delete on project begin
  update thread set projectId = null where projectId = old.id;
end;
