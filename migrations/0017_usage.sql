-- The use of a user by day, model and project, and the limits of credits that a user sets.

-- The project of the thread when the turn began.
alter table generation add column projectId text;
-- The guard of ended turns forbids any update of them.
drop trigger generation_end;
update generation set projectId = (select projectId from thread where id = threadId);
create trigger generation_end before update on generation
  when old.status <> 'open' and not (
    new.id = old.id and new.status = old.status and new.credits = old.credits and new.day = old.day and new.endedAt is old.endedAt
    and exists (select 1 from linking where guestId = old.userId and accountId = new.userId)
  ) begin
  select raise(abort, 'generation_ended');
end;

-- The sums of `creditLedger` and of `modelRequest` over ended turns, by day, chosen model and project of the turn. Written by their triggers only;
-- linking a guest adds the rows of the guest to those of the account. `id` is userId || ':' || day || ':' || projectId || ':' || modelId, with an empty text for no
-- project. The cleanup job deletes old rows.
create table dailyUse (
  id           text primary key not null,
  userId       text not null,
  day          integer not null,
  modelId      text not null,
  projectId    text,
  credits      integer not null,
  searches     integer not null,
  -- Input and output of the requests.
  tokens       integer not null,
  -- The known costs of the requests, and the number of requests whose cost is unknown.
  microDollars integer not null,
  unpriced     integer not null
);
create index dailyUse_user on dailyUse (userId, id);
create index dailyUse_day on dailyUse (day);

-- A turn counts when it ends: with all entries of the ledger and all requests of the answer that it has by then, so that it writes one row and one
-- row of the feed. Later rows count at once. A range of ids has the rows of a turn (';' follows ':').
create trigger creditLedger_used after insert on creditLedger
  when exists (select 1 from creditLedger where id in (new.generationId || ':settle', new.generationId || ':release')) begin
  insert into dailyUse (id, userId, day, modelId, projectId, credits, searches, tokens, microDollars, unpriced)
    select new.userId || ':' || ledger.day || ':' || coalesce(projectId, '') || ':' || modelId, new.userId, ledger.day, modelId, projectId,
      ledger.credits, ledger.searches, iif(ledger.day = new.day, requests.tokens, 0), iif(ledger.day = new.day, requests.microDollars, 0),
      iif(ledger.day = new.day, requests.unpriced, 0)
    from generation
    join (
      -- A search may be made on a later day than the one on which the turn began.
      select day, sum(credits) credits, sum(search) searches from creditLedger
      where id > new.generationId || ':' and id < new.generationId || ';'
        and (new.id in (new.generationId || ':settle', new.generationId || ':release') or id = new.id)
      group by day
    ) ledger
    join (
      select coalesce(sum(coalesce(inputTokens, 0) + coalesce(outputTokens, 0)), 0) tokens,
        coalesce(sum(microDollars), 0) microDollars, coalesce(sum(microDollars is null), 0) unpriced
      from modelRequest
      where new.id in (new.generationId || ':settle', new.generationId || ':release')
        and id > new.generationId || ':answer:' and id < new.generationId || ':answer;'
    ) requests
    where generation.id = new.generationId
    on conflict (id) do update set
      credits = credits + excluded.credits, searches = searches + excluded.searches, tokens = tokens + excluded.tokens,
      microDollars = microDollars + excluded.microDollars, unpriced = unpriced + excluded.unpriced;
end;
-- Requests for titles count at once, also while their turn runs.
create trigger modelRequest_used after insert on modelRequest
  when new.purpose <> 'answer' or exists (
    select 1 from creditLedger where id in (new.generationId || ':settle', new.generationId || ':release')
  ) begin
  insert into dailyUse (id, userId, day, modelId, projectId, credits, searches, tokens, microDollars, unpriced)
    select new.userId || ':' || new.day || ':' || coalesce(projectId, '') || ':' || modelId, new.userId, new.day, modelId, projectId,
      0, 0, coalesce(new.inputTokens, 0) + coalesce(new.outputTokens, 0), coalesce(new.microDollars, 0), new.microDollars is null
    from generation where id = new.generationId
    on conflict (id) do update set
      tokens = tokens + excluded.tokens, microDollars = microDollars + excluded.microDollars, unpriced = unpriced + excluded.unpriced;
end;

-- The turns before this migration, by the project that their thread has now.
insert into dailyUse (id, userId, day, modelId, projectId, credits, searches, tokens, microDollars, unpriced)
  select used.userId || ':' || used.day || ':' || coalesce(projectId, '') || ':' || modelId, used.userId, used.day, modelId, projectId,
    sum(used.credits), sum(used.searches), sum(used.tokens), sum(used.microDollars), sum(used.unpriced)
  from (
    select userId, day, generationId, credits, search searches, 0 tokens, 0 microDollars, 0 unpriced, 0 isTitle from creditLedger
    union all
    select userId, day, generationId, 0, 0, coalesce(inputTokens, 0) + coalesce(outputTokens, 0), coalesce(microDollars, 0), microDollars is null,
      purpose <> 'answer'
      from modelRequest
  ) used
  join generation on generation.id = used.generationId and (generation.status <> 'open' or isTitle)
  group by used.userId, used.day, projectId, modelId;

-- Limits of credits that the user sets. Null: none. `usage` shows them with the counts (trigger below).
alter table setting add column dailyCreditLimit integer check (dailyCreditLimit > 0);
alter table setting add column monthlyCreditLimit integer check (monthlyCreditLimit > 0);
alter table usage add column dailyCreditLimit integer;
alter table usage add column monthlyCreditLimit integer;
-- The credits of the UTC month that begins on the day `monthStart`.
alter table usage add column monthStart integer;
alter table usage add column monthCredits integer default 0;
-- The limits of the user when the credits were reserved. Not those of now: copying a ledger to another database inserts its rows again.
alter table creditLedger add column ownDailyLimit integer;
alter table creditLedger add column monthlyLimit integer;

update usage set
  monthStart = unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400,
  monthCredits = (
    select coalesce(sum(ledger.credits), 0) from creditLedger ledger
      where ledger.userId = usage.userId and ledger.day >= unixepoch(usage.day * 86400, 'unixepoch', 'start of month') / 86400
  )
  where day is not null;

create trigger setting_limits_inserted after insert on setting
  when new.dailyCreditLimit is not null or new.monthlyCreditLimit is not null begin
  insert into usage (id, userId, dailyCreditLimit, monthlyCreditLimit)
    values (new.userId, new.userId, new.dailyCreditLimit, new.monthlyCreditLimit)
    on conflict (userId) do update set dailyCreditLimit = excluded.dailyCreditLimit, monthlyCreditLimit = excluded.monthlyCreditLimit;
end;
create trigger setting_limits_updated after update of dailyCreditLimit, monthlyCreditLimit on setting
  when (new.dailyCreditLimit, new.monthlyCreditLimit) is not (old.dailyCreditLimit, old.monthlyCreditLimit) begin
  insert into usage (id, userId, dailyCreditLimit, monthlyCreditLimit)
    values (new.userId, new.userId, new.dailyCreditLimit, new.monthlyCreditLimit)
    on conflict (userId) do update set dailyCreditLimit = excluded.dailyCreditLimit, monthlyCreditLimit = excluded.monthlyCreditLimit;
end;

-- A turn without credits, as a continued research that is paid, is never over a limit of the user.
create trigger creditLedger_own_daily_limit before insert on creditLedger
  when new.kind = 'reserve' and new.credits > 0 and new.ownDailyLimit is not null
    and new.credits + coalesce((select credits from usage where userId = new.userId and day = new.day), 0) > new.ownDailyLimit begin
  select raise(abort, 'own_daily_limit_reached');
end;
create trigger creditLedger_monthly_limit before insert on creditLedger
  when new.kind = 'reserve' and new.credits > 0 and new.monthlyLimit is not null
    and new.credits + coalesce((
      select monthCredits from usage
        where userId = new.userId and monthStart = unixepoch(new.day * 86400, 'unixepoch', 'start of month') / 86400
    ), 0) > new.monthlyLimit begin
  select raise(abort, 'own_monthly_limit_reached');
end;

drop trigger creditLedger_counted;
-- The counts of `usage` are the sums of the ledger for usage.day and for the month from usage.monthStart on. An entry for an earlier day changes
-- the credits of its month only, and one for an earlier month changes nothing.
create trigger creditLedger_counted after insert on creditLedger begin
  insert into usage (id, userId, credits, search, research, day, monthStart, monthCredits)
    values (new.userId, new.userId, new.credits, new.search, new.research, new.day,
      unixepoch(new.day * 86400, 'unixepoch', 'start of month') / 86400, new.credits)
    on conflict (userId) do update set
      credits  = case when day > excluded.day then credits when day = excluded.day then coalesce(credits, 0) + excluded.credits else excluded.credits end,
      search   = case when day > excluded.day then search when day = excluded.day then coalesce(search, 0) + excluded.search else excluded.search end,
      research = case when day > excluded.day then research when day = excluded.day then coalesce(research, 0) + excluded.research else excluded.research end,
      day      = max(coalesce(day, excluded.day), excluded.day),
      monthCredits = iif(monthStart = excluded.monthStart, coalesce(monthCredits, 0), 0) + excluded.credits,
      monthStart   = excluded.monthStart
    where monthStart is null or monthStart <= excluded.monthStart;
end;
