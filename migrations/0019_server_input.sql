-- A tool server asks the user for input during a call: the call waits as a row of `approval`.

-- `cause` gets one more value. A check cannot be changed, so the column is replaced; the trigger of the feed names it.
drop trigger feed_approval_updated;
alter table approval add column nextCause text not null default 'changes'
  check (nextCause in ('changes', 'outside', 'input', 'call_lost', 'not_called', 'tool_changed'));
update approval set nextCause = cause;
alter table approval drop column cause;
alter table approval rename column nextCause to cause;

-- JSON: what the server asks, and the answer of the user.
alter table approval add column form text;
alter table approval add column answers text;
-- Sealed: what the next call needs to go on.
alter table approval add column callState text;

-- As in 0013, with the new columns.
drop trigger approval_counted;
drop trigger approval_resized;
drop trigger approval_moved;
drop trigger approval_uncounted;

create trigger approval_counted after insert on approval begin
  insert into contentUse (userId, bytes, rows)
    values (new.userId, octet_length(new.description || new.input || coalesce(new.inputSchema, '') || coalesce(new.reason, '')
      || coalesce(new.form, '') || coalesce(new.answers, '') || coalesce(new.callState, '')), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger approval_resized after update of input, reason, answers on approval
  when new.userId = old.userId
    and octet_length(new.input || coalesce(new.reason, '') || coalesce(new.answers, ''))
      <> octet_length(old.input || coalesce(old.reason, '') || coalesce(old.answers, '')) begin
  update contentUse
    set bytes = bytes + octet_length(new.input || coalesce(new.reason, '') || coalesce(new.answers, ''))
      - octet_length(old.input || coalesce(old.reason, '') || coalesce(old.answers, ''))
    where userId = new.userId;
end;
create trigger approval_moved after update of userId on approval when new.userId <> old.userId begin
  update contentUse
    set bytes = bytes - octet_length(old.description || old.input || coalesce(old.inputSchema, '') || coalesce(old.reason, '')
      || coalesce(old.form, '') || coalesce(old.answers, '') || coalesce(old.callState, '')), rows = rows - 1
    where userId = old.userId;
  insert into contentUse (userId, bytes, rows)
    values (new.userId, octet_length(new.description || new.input || coalesce(new.inputSchema, '') || coalesce(new.reason, '')
      || coalesce(new.form, '') || coalesce(new.answers, '') || coalesce(new.callState, '')), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger approval_uncounted after delete on approval begin
  update contentUse
    set bytes = bytes - octet_length(old.description || old.input || coalesce(old.inputSchema, '') || coalesce(old.reason, '')
      || coalesce(old.form, '') || coalesce(old.answers, '') || coalesce(old.callState, '')), rows = rows - 1
    where userId = old.userId;
end;

-- From worker/db/feed-tables.ts.
create trigger feed_approval_updated after update on approval
  when new.id = old.id and new.userId = old.userId
    and (new.threadId, new.messageId, new.toolCallId, new.source, new.tool, new.title, new.description, new.digest, new.cause, new.input, new.inputSchema, new.form, new.answers, new.callState, new.state, new.isForThread, new.isChanged, new.reason, new.answerId, new.createdAt, new.expiresAt, new.decidedAt) is not (old.threadId, old.messageId, old.toolCallId, old.source, old.tool, old.title, old.description, old.digest, old.cause, old.input, old.inputSchema, old.form, old.answers, old.callState, old.state, old.isForThread, old.isChanged, old.reason, old.answerId, old.createdAt, old.expiresAt, old.decidedAt) begin
  insert into contentChange (scope, tbl, rowId, op) values ('user:' || new.userId, 'approval', new.id, 'u');
end;
