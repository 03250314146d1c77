-- Content: tool calls that need the user's approval.

-- One call, as the user decides on it. The batch that ends a turn inserts its waiting calls; the decision on the last one opens the turn that
-- continues the answer. The ending of that turn moves the rows to the answer that replaces `messageId`.
create table approval (
  id          text primary key not null,
  userId      text not null,
  threadId    text not null references thread (id) on delete cascade,
  messageId   text not null references message (id) on delete cascade,
  toolCallId  text not null,
  -- JSON: id and name of the tool's source.
  source      text not null,
  tool        text not null,
  title       text not null,
  description text not null,
  digest      text not null,
  cause       text not null check (cause in ('changes', 'outside', 'call_lost', 'not_called', 'tool_changed')),
  -- JSON: what is sent.
  input       text not null,
  -- JSON schema of the input. Null: the input cannot be changed.
  inputSchema text,
  state       text not null default 'pending' check (state in ('pending', 'allowed', 'denied')),
  -- 1: allows later calls of the tool in the thread.
  isForThread integer,
  isChanged   integer,
  reason      text,
  answerId    text,
  createdAt   integer not null,
  expiresAt   integer not null,
  decidedAt   integer
);
create index approval_user on approval (userId, id);
create index approval_thread on approval (threadId);
create index approval_message on approval (messageId);

-- A call is decided once: of two devices, and of two objects of one user, the first one succeeds, and the batch of the other fails with the turn
-- that it would open.
create trigger approval_decided before update of state on approval when old.state <> 'pending' and new.state <> old.state begin
  select raise(abort, 'approval_decided');
end;
create trigger approval_expired before update of state on approval
  when new.state = 'allowed' and old.state = 'pending' and new.decidedAt >= old.expiresAt begin
  select raise(abort, 'approval_expired');
end;

-- As for messages (0004): an approval has the owner of its thread.
create trigger approval_thread_inserted before insert on approval
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger approval_thread_updated before update of threadId, userId on approval
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;

-- Counted as messages are (0007).
create trigger approval_counted after insert on approval begin
  insert into contentUse (userId, bytes, rows)
    values (new.userId, octet_length(new.description || new.input || coalesce(new.inputSchema, '') || coalesce(new.reason, '')), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger approval_resized after update of input, reason on approval
  when new.userId = old.userId
    and octet_length(new.input || coalesce(new.reason, '')) <> octet_length(old.input || coalesce(old.reason, '')) begin
  update contentUse
    set bytes = bytes + octet_length(new.input || coalesce(new.reason, '')) - octet_length(old.input || coalesce(old.reason, ''))
    where userId = new.userId;
end;
create trigger approval_moved after update of userId on approval when new.userId <> old.userId begin
  update contentUse
    set bytes = bytes - octet_length(old.description || old.input || coalesce(old.inputSchema, '') || coalesce(old.reason, '')), rows = rows - 1
    where userId = old.userId;
  insert into contentUse (userId, bytes, rows)
    values (new.userId, octet_length(new.description || new.input || coalesce(new.inputSchema, '') || coalesce(new.reason, '')), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger approval_uncounted after delete on approval begin
  update contentUse
    set bytes = bytes - octet_length(old.description || old.input || coalesce(old.inputSchema, '') || coalesce(old.reason, '')), rows = rows - 1
    where userId = old.userId;
end;
