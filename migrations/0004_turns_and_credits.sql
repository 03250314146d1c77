-- Turns of the assistant and the credits that they cost.

-- One assistant turn. `id` is the id of the answer message.
create table generation (
  id         text primary key not null,
  userId     text not null,
  threadId   text not null,
  parentId   text not null,
  modelId    text not null,
  -- The interrupted answer that this turn continues.
  continueId text,
  status     text not null default 'open' check (status in ('open', 'completed', 'stopped', 'interrupted', 'failed')),
  credits    integer not null,
  day        integer not null,
  createdAt  integer not null,
  endedAt    integer,
  error      text,
  effort     text,
  -- The queued message that this turn was started from.
  queuedId   text,
  mode       text not null default 'chat' check (mode in ('chat', 'search', 'research')),
  -- Names the Durable Object that runs the turn: the user who started it. It stays when a guest is linked to an account.
  writer     text not null
);
-- The cleanup job finds turns that have been open too long.
create index generation_status on generation (status, createdAt);
-- Open turns of a user, read with every feed.
create index generation_user on generation (userId, status);
create index generation_thread on generation (threadId);
create index generation_plans on generation (userId, day) where mode = 'research';

-- A thread has one open turn.
create trigger generation_alone before insert on generation
  when new.status = 'open' and exists (select 1 from generation where threadId = new.threadId and status = 'open') begin
  select raise(abort, 'thread_busy');
end;
-- A turn ends once: the first writer records the ending, and the batch of every later one fails. Linking may still change the owner.
create trigger generation_end before update on generation
  when old.status <> 'open' and not (
    new.id = old.id and new.status = old.status and new.credits = old.credits and new.day = old.day and new.endedAt is old.endedAt
    and exists (select 1 from handover where guestId = old.userId and accountId = new.userId)
  ) begin
  select raise(abort, 'generation_ended');
end;
-- A stop that arrives after the turn ended makes the thread ready, because no turn is left to do it.
create trigger thread_stopping after update of status on thread
  when new.status = 'stopping' and not exists (select 1 from generation where id = new.streamId and status = 'open') begin
  update thread set status = 'ready', streamId = null where id = new.id;
end;
-- A turn that is started from the queue needs its queued message: of two devices that start or delete it, the first one succeeds.
create trigger generation_queued before insert on generation
  when new.queuedId is not null
    and not exists (select 1 from queuedMessage where id = new.queuedId and threadId = new.threadId and userId = new.userId) begin
  select raise(abort, 'queue_moved');
end;
-- Plans of a research are free, so the ledger does not limit them. Chosen: four for each research of a PRO day.
create trigger generation_plans before insert on generation
  when new.mode = 'research' and new.continueId is null
    and (select count(*) from generation where userId = new.userId and day = new.day and mode = 'research' and continueId is null) >= 60 begin
  select raise(abort, 'plan_limit_reached');
end;

-- Every change of a user's credits. `id` is generationId || ':' || kind, so that no turn is reserved, settled or released twice.
-- Credits, searches and researches are signed. The limits are checked when `kind` is 'reserve'.
create table creditLedger (
  id            text primary key not null,
  userId        text not null,
  generationId  text not null,
  kind          text not null check (kind in ('reserve', 'settle', 'release')),
  credits       integer not null,
  day           integer not null,
  dailyLimit    integer,
  createdAt     integer not null,
  search        integer not null default 0,
  research      integer not null default 0,
  searchLimit   integer,
  researchLimit integer,
  -- 1 for a failed turn that ends without a charge although a request to a provider was sent: worker/contract/limits.ts, unpaidTurnsPerDay.
  -- Usage that is restored after an account was deleted carries the number of the day.
  unpaid        integer not null default 0 check (unpaid >= 0)
);
create index creditLedger_user on creditLedger (userId, day);
create index creditLedger_unpaid on creditLedger (userId, day) where unpaid > 0;

-- The limits are checked where the counts are kept, so that parallel turns cannot exceed them together.
create trigger creditLedger_clock before insert on creditLedger
  when new.kind = 'reserve' and exists (select 1 from usage where userId = new.userId and day > new.day) begin
  select raise(abort, 'clock_behind');
end;
create trigger creditLedger_limit before insert on creditLedger
  when new.kind = 'reserve' and new.dailyLimit is not null
    and new.credits + coalesce((select credits from usage where userId = new.userId and day = new.day), 0) > new.dailyLimit begin
  select raise(abort, 'credits_exhausted');
end;
create trigger creditLedger_tool_limit before insert on creditLedger
  when new.kind = 'reserve' and (
    new.search > 0 and new.search + coalesce((select search from usage where userId = new.userId and day = new.day), 0) > new.searchLimit
    or new.research > 0 and new.research + coalesce((select research from usage where userId = new.userId and day = new.day), 0) > new.researchLimit
  ) begin
  select raise(abort, 'tool_limit_reached');
end;

-- The counts of `usage` are the sums of the ledger for usage.day. An entry for an earlier day does not change them.
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

-- Entries never change, except that linking changes the owner. They are deleted only after the usage row, with the account.
create trigger creditLedger_rewritten before update on creditLedger
  when not (
    new.id = old.id and new.generationId = old.generationId and new.kind = old.kind and new.credits = old.credits and new.day = old.day
    and new.search = old.search and new.research = old.research and new.unpaid = old.unpaid
    and exists (select 1 from handover where guestId = old.userId and accountId = new.userId)
  ) begin
  select raise(abort, 'ledger_immutable');
end;
create trigger creditLedger_removed before delete on creditLedger
  when exists (select 1 from usage where userId = old.userId) begin
  select raise(abort, 'ledger_immutable');
end;

-- Daily credit limits of guests: 200 for each network, 20,000 for all guests together. worker/contract/limits.ts repeats both numbers.

-- The network from which a guest was created, as a keyed digest. Inserted with the guest's first rows, deleted with the guest.
create table guestNetwork (
  userId  text primary key not null,
  network text not null
);

-- Reserved credits of guests minus released credits, by UTC day and network. network = '': all networks.
create table guestUse (
  day     integer not null,
  network text not null,
  credits integer not null,
  primary key (day, network)
);

-- The day and network of each reservation by a guest. A release finds its counters here, also after the guest was linked to an account.
create table guestReservation (
  generationId text primary key not null,
  network      text not null,
  day          integer not null
);
create index guestReservation_day on guestReservation (day);

create trigger creditLedger_guest_limit before insert on creditLedger
  when new.kind = 'reserve' and new.credits > 0 and exists (
    select 1 from guestNetwork guest where guest.userId = new.userId and (
      new.credits + coalesce((select credits from guestUse where day = new.day and network = guest.network), 0) > 200
      or new.credits + coalesce((select credits from guestUse where day = new.day and network = ''), 0) > 20000
    )
  ) begin
  select raise(abort, 'guest_limit_reached');
end;
create trigger creditLedger_guest_reserved after insert on creditLedger
  when new.kind = 'reserve' and new.credits > 0 and exists (select 1 from guestNetwork where userId = new.userId) begin
  insert into guestReservation (generationId, network, day)
    select new.generationId, network, new.day from guestNetwork where userId = new.userId;
  insert into guestUse (day, network, credits)
    select new.day, network, new.credits from guestNetwork where userId = new.userId
    union all select new.day, '', new.credits
    on conflict (day, network) do update set credits = credits + excluded.credits;
end;
-- A release has negative credits; a settlement has 0. The release of a free failed turn does not count, because otherwise a network
-- could get any number of free failures through new guests.
create trigger creditLedger_guest_released after insert on creditLedger
  when new.kind <> 'reserve' and new.credits <> 0 and new.unpaid = 0 begin
  update guestUse set credits = credits + new.credits
    where (day, network) in (
      select day, network from guestReservation where generationId = new.generationId
      union all select day, '' from guestReservation where generationId = new.generationId
    );
end;
