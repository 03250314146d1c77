-- Searches and researches of a turn, counted in the ledger beside its credits and guarded where the count is kept. Existing rows used neither.

alter table generation add column mode text not null default 'chat' check (mode in ('chat', 'search', 'research'));

-- Signed like credits; the limits are checked when kind is reserve.
alter table creditLedger add column search integer not null default 0;
alter table creditLedger add column research integer not null default 0;
alter table creditLedger add column searchLimit integer;
alter table creditLedger add column researchLimit integer;

create trigger creditLedger_tool_limit before insert on creditLedger
  when new.kind = 'reserve' and (
    new.search > 0 and new.search + coalesce((select search from usage where userId = new.userId and day = new.day), 0) > new.searchLimit
    or new.research > 0 and new.research + coalesce((select research from usage where userId = new.userId and day = new.day), 0) > new.researchLimit
  ) begin
  select raise(abort, 'tool_limit_reached');
end;

-- All three counts of usage are the ledger's sums for usage.day. What comes late for an earlier day changes that day only.
drop trigger creditLedger_counted;
create trigger creditLedger_counted after insert on creditLedger begin
  insert into usage (id, userId, credits, search, research, day)
    values (new.userId, new.userId, new.credits, new.search, new.research, new.day)
    on conflict (userId) do update set
      credits  = case when day = excluded.day then coalesce(credits, 0) + excluded.credits else excluded.credits end,
      search   = case when day = excluded.day then coalesce(search, 0) + excluded.search else excluded.search end,
      research = case when day = excluded.day then coalesce(research, 0) + excluded.research else excluded.research end,
      day      = excluded.day
    where day is null or day <= excluded.day;
end;
