-- A guest becomes an account: everything the guest owns gets another owner, in one batch. Existing rows stay as they are.

-- Where a guest's rows have gone. A turn that was ordered for the guest ends for the account, and whoever still writes as the guest is refused.
-- Removed with the tidying job, when no token and no turn of the guest can be left.
create table handover (
  guestId   text primary key not null,
  accountId text not null,
  createdAt integer not null
);
create index handover_account on handover (accountId);
-- The tidying job takes the oldest first.
create index handover_created on handover (createdAt);

-- Rows of a handed-over guest change nothing but their owner, and only towards the account of the hand-over.

drop trigger creditLedger_rewritten;
create trigger creditLedger_rewritten before update on creditLedger
  when not (
    new.id = old.id and new.generationId = old.generationId and new.kind = old.kind and new.credits = old.credits and new.day = old.day
    and new.search = old.search and new.research = old.research
    and exists (select 1 from handover where guestId = old.userId and accountId = new.userId)
  ) begin
  select raise(abort, 'ledger_immutable');
end;

-- A turn that has ended stays as it ended; its owner may still become the account.
drop trigger generation_end;
create trigger generation_end before update on generation
  when old.status <> 'open' and not (
    new.id = old.id and new.status = old.status and new.credits = old.credits and new.day = old.day and new.endedAt is old.endedAt
    and exists (select 1 from handover where guestId = old.userId and accountId = new.userId)
  ) begin
  select raise(abort, 'generation_ended');
end;

-- Every mutation of a browser advances its progress, so this refuses all that come after the hand-over: nothing is left behind with the guest.
create trigger clientProgress_handed_over_inserted before insert on clientProgress
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;
create trigger clientProgress_handed_over_updated before update of lastMutationID on clientProgress
  when exists (select 1 from handover where guestId = new.userId) begin
  select raise(abort, 'handed_over');
end;

-- Guests without activity are tidied away; the job looks for the oldest.
create index user_guests on user (updatedAt) where isAnonymous = 1;

-- What a mail looks like; the body says the same in plain text.
alter table outbox add column html text;
