-- Guards: what must never be true, whoever writes. Each one aborts the statement, and with it the whole D1 batch it stands in.
-- The names after raise(abort, …) are codes that worker/db/errors.ts knows.

-- Exactly once: the mutations of a browser are applied in their order, each once. A writer that computed from an older state fails here.
-- Writers insert or ignore a row with lastMutationID 0, then update it.
create trigger clientProgress_order before update of lastMutationID on clientProgress
  when new.lastMutationID <> old.lastMutationID + 1 begin
  select raise(abort, 'stale_mutation');
end;

-- A client group belongs to one person for ever.
create trigger clientProgress_owner_inserted before insert on clientProgress
  when exists (select 1 from clientProgress where clientGroupID = new.clientGroupID and userId <> new.userId) begin
  select raise(abort, 'foreign_client_group');
end;
create trigger clientProgress_owner_updated before update of userId, clientGroupID on clientProgress
  when new.userId <> old.userId
    or exists (select 1 from clientProgress where clientGroupID = new.clientGroupID and userId <> new.userId) begin
  select raise(abort, 'foreign_client_group');
end;

-- A message belongs to whoever its thread belongs to. Handing a thread over changes the thread first.
create trigger message_thread_inserted before insert on message
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger message_thread_updated before update of threadId, userId on message
  when not exists (select 1 from thread where id = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;

-- A turn ends once: whoever claims the ending first writes it, everybody after fails with everything they brought.
create trigger generation_end before update on generation
  when old.status <> 'open' begin
  select raise(abort, 'generation_ended');
end;

-- Credits: reserving checks the limit where the count is kept, so that parallel writers cannot overspend together.
create trigger creditLedger_clock before insert on creditLedger
  when new.kind = 'reserve' and exists (select 1 from usage where userId = new.userId and day > new.day) begin
  select raise(abort, 'clock_behind');
end;
create trigger creditLedger_limit before insert on creditLedger
  when new.kind = 'reserve' and new.dailyLimit is not null
    and new.credits + coalesce((select credits from usage where userId = new.userId and day = new.day), 0) > new.dailyLimit begin
  select raise(abort, 'credits_exhausted');
end;

-- usage.credits is the sum of the ledger for usage.day. A new day starts from nothing; what comes late for an earlier day changes that day only.
create trigger creditLedger_counted after insert on creditLedger begin
  insert into usage (id, userId, credits, search, research, day)
    values (new.userId, new.userId, new.credits, 0, 0, new.day)
    on conflict (userId) do update set
      credits  = case when day = excluded.day then coalesce(credits, 0) + excluded.credits else excluded.credits end,
      search   = case when day = excluded.day then search else 0 end,
      research = case when day = excluded.day then research else 0 end,
      day      = excluded.day
    where day is null or day <= excluded.day;
end;

-- The ledger is history: it is never rewritten, and it goes only after its person's usage is gone, with the account.
create trigger creditLedger_rewritten before update on creditLedger begin
  select raise(abort, 'ledger_immutable');
end;
create trigger creditLedger_removed before delete on creditLedger
  when exists (select 1 from usage where userId = old.userId) begin
  select raise(abort, 'ledger_immutable');
end;

-- Size: D1 stores no row above 2 MB, and the local runtime does not say so. worker/contract/limits.ts: maxRowBytes.
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
