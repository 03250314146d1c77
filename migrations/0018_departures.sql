-- Who is leaving. Written before anything of theirs goes, so that nothing of theirs arrives behind it: their tabs still send meanwhile.
-- Removed by the tidying job, when no request, no token and no turn of theirs can be left.
create table departure (
  userId    text primary key not null,
  startedAt integer not null,
  -- null while something that was under way may still arrive
  settledAt integer
);
create index departure_started on departure (startedAt);
create index departure_unsettled on departure (startedAt) where settledAt is null;

-- Every mutation of a browser advances its progress. Messages and the ledger need a thread or a turn, which the other guards refuse.
create trigger clientProgress_departed_inserted before insert on clientProgress
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger clientProgress_departed_updated before update of lastMutationID on clientProgress
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger thread_departed before insert on thread
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger queuedMessage_departed before insert on queuedMessage
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger generation_departed before insert on generation
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
create trigger attachment_departed before insert on attachment
  when exists (select 1 from departure where userId = new.userId) begin
  select raise(abort, 'account_gone');
end;
-- Nobody's threads follow an account that goes, and a guest who goes takes nothing elsewhere. One that is repeated inserts nothing.
create trigger handover_departed before insert on handover
  when exists (select 1 from departure where userId in (new.guestId, new.accountId))
    and not exists (select 1 from handover where guestId = new.guestId) begin
  select raise(abort, 'account_gone');
end;
