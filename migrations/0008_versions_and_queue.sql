-- Versions, reasoning effort, and messages that wait for the answer before them.

-- How long a reasoning model is to think in this thread; null is the model's own default.
alter table thread add column effort text;

-- A deleted message takes what follows it out of sight; nothing below it is marked. It goes for good with the tidying job.
alter table message add column deletedAt integer;
create index message_deleted on message (deletedAt) where deletedAt is not null;

-- The effort that this turn was asked with, and the queued message that it came from.
alter table generation add column effort text;
alter table generation add column queuedId text;

-- Messages typed while an answer streams, oldest first. The row becomes a message under the same id in the batch that deletes it.
-- hold says why it waits for the person and not for the answer: how the turn before it ended, or why it was refused.
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
  createdAt integer not null
);
create index queuedMessage_thread on queuedMessage (threadId, createdAt);
create index queuedMessage_user on queuedMessage (userId, id);

-- The feed; its rules are those of 0002.
create trigger queuedMessage_inserted after insert on queuedMessage begin
  insert into contentChange (userId, tbl, rowId, op) values (new.userId, 'queuedMessage', new.id, 'i');
end;
create trigger queuedMessage_updated after update on queuedMessage begin
  insert into contentChange (userId, tbl, rowId, op)
    values (old.userId, 'queuedMessage', old.id, case when new.userId = old.userId and new.id = old.id then 'u' else 'd' end);
  insert into contentChange (userId, tbl, rowId, op)
    select new.userId, 'queuedMessage', new.id, 'i' where new.userId <> old.userId or new.id <> old.id;
end;
create trigger queuedMessage_deleted after delete on queuedMessage begin
  insert into contentChange (userId, tbl, rowId, op) values (old.userId, 'queuedMessage', old.id, 'd');
end;

-- Guards, as in 0005.
create trigger queuedMessage_thread_inserted before insert on queuedMessage
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger queuedMessage_thread_updated before update of threadId, userId on queuedMessage
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger queuedMessage_size_inserted before insert on queuedMessage
  when length(cast(new.text as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger queuedMessage_size_updated before update of text on queuedMessage
  when length(cast(new.text as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;

-- A turn that claims to come from the queue does: whoever removed the message first, or made a turn of it first, is right.
create trigger generation_queued before insert on generation
  when new.queuedId is not null
    and not exists (select 1 from queuedMessage where id = new.queuedId and threadId = new.threadId and userId = new.userId) begin
  select raise(abort, 'queue_moved');
end;
