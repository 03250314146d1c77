-- Content: turns of the assistant, and the credits, tokens and money that they cost.

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
  -- The id of the `Generation` object that runs the turn. It stays when a guest is linked to an account.
  objectId   text not null
);
-- The cleanup job finds turns that have been open too long.
create index generation_status on generation (status, createdAt);
-- Open turns of a user, read with every feed.
create index generation_user on generation (userId, status);
create index generation_thread on generation (threadId);
create index generation_plans on generation (userId, day) where mode = 'research';

-- A turn ends once: the first writer records the ending, and the batch of every later one fails. Linking may still change the owner.
create trigger generation_end before update on generation
  when old.status <> 'open' and not (
    new.id = old.id and new.status = old.status and new.credits = old.credits and new.day = old.day and new.endedAt is old.endedAt
    and exists (select 1 from linking where guestId = old.userId and accountId = new.userId)
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
-- A thread names its open turns: one, or those of its comparison.
create trigger thread_turns_named before update of streamId, compared on thread
  when new.streamId is not null and exists (
    select 1 from generation
      where userId = new.userId and status = 'open' and threadId = new.id and id <> new.streamId
        and id not in (select value ->> '$.id' from json_each(coalesce(new.compared, '[]')))
  ) begin
  select raise(abort, 'thread_busy');
end;

-- A turn and its answer have one id. Clients choose the ids of messages and of turns, so a message of a user, of another thread or of a
-- running turn could take the id, and the ending could not store the answer (worker/user-sync/SPEC.md, A7).
-- Does not apply to ended turns, which linking copies after their answers.
create trigger generation_id_taken before insert on generation
  when new.status = 'open' and exists (select 1 from message where id = new.id) begin
  select raise(abort, 'id_taken');
end;
-- The batch that inserts the answer has ended the turn before.
create trigger message_id_taken before insert on message
  when exists (
    select 1 from generation
      where id = new.id and (status = 'open' or threadId <> new.threadId or new.message ->> '$.role' is not 'assistant')
  ) begin
  select raise(abort, 'id_taken');
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

-- A user's limits as the client shows them. Only triggers write it: of `creditLedger` and of `contentUse` (0007).
-- Credits, searches and researches are those of `day`, in UTC days since the epoch.
create table usage (
  id           text primary key not null,
  userId       text not null unique,
  credits      integer default 0,
  search       integer default 0,
  research     integer default 0,
  day          integer,
  contentBytes integer default 0,
  contentRows  integer default 0,
  forks        integer default 0,
  forkDay      integer,
  mutations    integer default 0,
  mutationDay  integer
);

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
    and exists (select 1 from linking where guestId = old.userId and accountId = new.userId)
  ) begin
  select raise(abort, 'ledger_immutable');
end;
create trigger creditLedger_removed before delete on creditLedger
  when exists (select 1 from usage where userId = old.userId) begin
  select raise(abort, 'ledger_immutable');
end;

-- Daily limits of guests, by network and for all guests together: credits (worker/contract/limits.ts: 200 and 20,000) and storage (0007).

-- The network from which a guest was created, as a keyed digest. Inserted with the guest's first rows, deleted with the guest.
create table guestNetwork (
  userId  text primary key not null,
  network text not null
);
create index guestNetwork_network on guestNetwork (network);

-- Per UTC day and network, also network = '' for all networks: reserved credits of guests minus released credits, and what guests stored
-- (deleting frees nothing).
create table guestUse (
  day       integer not null,
  network   text not null,
  credits   integer not null,
  bytes     integer not null default 0,
  rows      integer not null default 0,
  fileBytes integer not null default 0,
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

-- Daily credits of guests by wider networks, in addition to those of an IPv4 address or IPv6 /64: an IPv6 customer has up to 65,536 networks of
-- size /64, so one could use the credits of all guests. Sizes: worker/auth/networks.ts.

-- The wider networks that contain a network of guests, as keyed digests.
create table guestWideNetwork (
  network text not null,
  size    text not null,
  wide    text not null,
  primary key (network, size)
);
create trigger guestNetwork_removed after delete on guestNetwork
  when not exists (select 1 from guestNetwork where network = old.network) begin
  delete from guestWideNetwork where network = old.network;
end;

-- The sums of guestUse by UTC day and wider network.
create table guestWideUse (
  day     integer not null,
  wide    text not null,
  size    text not null,
  credits integer not null,
  primary key (day, wide)
);
create trigger guestUse_widely_inserted after insert on guestUse when new.network <> '' and new.credits <> 0 begin
  insert into guestWideUse (day, wide, size, credits)
    select new.day, wide, size, new.credits from guestWideNetwork where network = new.network
    on conflict (day, wide) do update set credits = credits + excluded.credits;
end;
create trigger guestUse_widely_updated after update of credits on guestUse when new.network <> '' and new.credits <> old.credits begin
  insert into guestWideUse (day, wide, size, credits)
    select new.day, wide, size, new.credits - old.credits from guestWideNetwork where network = new.network
    on conflict (day, wide) do update set credits = credits + excluded.credits;
end;
-- worker/contract/limits.ts: guestWideCreditsPerDay. One guest has fewer credits than each limit, so an insert exceeds none.
create trigger guestWideUse_limit before update of credits on guestWideUse
  when new.credits > old.credits and new.credits > case new.size when 'site' then 400 when 'block' then 2000 else 5000 end begin
  select raise(abort, 'guest_limit_reached');
end;

-- Tokens and cost of the requests to models. A null count is unknown, which is not 0. Costs are in micro-dollars (worker/contract/model-use.ts).

-- One request to a model that was answered, for an answer or for a title. The batch that settles the credits of a turn inserts the requests of the
-- answer. `id` is generationId || ':' || purpose || ':' || number, so no request is counted twice. Rows are not updated, except that linking a
-- guest changes the owner.
create table modelRequest (
  id           text primary key not null,
  userId       text not null,
  generationId text not null,
  purpose      text not null check (purpose in ('answer', 'title')),
  -- The day of the turn, as in `creditLedger`.
  day          integer not null,
  -- The slug of the model at its provider.
  model        text not null,
  provider     text not null,
  -- Cached tokens are part of the input, reasoning tokens of the output.
  inputTokens       integer check (inputTokens >= 0),
  cachedInputTokens integer check (cachedInputTokens >= 0),
  outputTokens      integer check (outputTokens >= 0),
  reasoningTokens   integer check (reasoningTokens >= 0),
  microDollars      integer check (microDollars >= 0)
);
create index modelRequest_user on modelRequest (userId, id);

-- Sums of `modelRequest`, without unknown figures. userId = '': the sums of deleted users. Linking a guest adds the rows of the guest to those of the
-- account (worker/db/model-use.ts).
create table dailyModelUse (
  day      integer not null,
  userId   text not null,
  model    text not null,
  provider text not null,
  requests integer not null,
  -- Requests whose cost is unknown.
  unpriced integer not null,
  inputTokens       integer not null,
  cachedInputTokens integer not null,
  outputTokens      integer not null,
  reasoningTokens   integer not null,
  microDollars      integer not null,
  primary key (day, userId, model, provider)
) without rowid;
create index dailyModelUse_user on dailyModelUse (userId);

create trigger modelRequest_counted after insert on modelRequest begin
  insert into dailyModelUse (day, userId, model, provider, requests, unpriced, inputTokens, cachedInputTokens, outputTokens, reasoningTokens, microDollars)
    values (new.day, new.userId, new.model, new.provider, 1, new.microDollars is null, coalesce(new.inputTokens, 0),
      coalesce(new.cachedInputTokens, 0), coalesce(new.outputTokens, 0), coalesce(new.reasoningTokens, 0), coalesce(new.microDollars, 0))
    on conflict (day, userId, model, provider) do update set
      requests = requests + excluded.requests, unpriced = unpriced + excluded.unpriced,
      inputTokens = inputTokens + excluded.inputTokens, cachedInputTokens = cachedInputTokens + excluded.cachedInputTokens,
      outputTokens = outputTokens + excluded.outputTokens, reasoningTokens = reasoningTokens + excluded.reasoningTokens,
      microDollars = microDollars + excluded.microDollars;
end;
create trigger modelRequest_rewritten before update on modelRequest
  when (new.id, new.generationId, new.purpose, new.day, new.model, new.provider, new.inputTokens, new.cachedInputTokens, new.outputTokens,
      new.reasoningTokens, new.microDollars)
    is not (old.id, old.generationId, old.purpose, old.day, old.model, old.provider, old.inputTokens, old.cachedInputTokens, old.outputTokens,
      old.reasoningTokens, old.microDollars) begin
  select raise(abort, 'ledger_immutable');
end;
