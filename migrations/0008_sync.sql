-- The tables of the sync protocol: the progress of clients, and the change feeds (worker/sync/SPEC.md).

-- The number of the last applied mutation of each client. Client groups are named by browsers, so the user is part of the key.
create table clientProgress (
  userId             text not null,
  clientGroupID      text not null,
  clientID           text not null,
  lastMutationID     integer not null default 0,
  updatedAt          integer not null,
  -- A push advances its client once, from `previousMutationID` to `lastMutationID`, not once for each of its mutations.
  previousMutationID integer not null default 0,
  primary key (userId, clientGroupID, clientID)
);

-- Errors of mutations that the client has not acknowledged yet.
create table mutationResult (
  userId        text not null,
  clientGroupID text not null,
  clientID      text not null,
  mutationID    integer not null,
  result        text not null,
  createdAt     integer not null,
  primary key (userId, clientGroupID, clientID, mutationID)
);

-- The change feed of the directory: one row for each change of a synced row, written by triggers (0010) in the transaction of the change.
-- A reader takes the last op of each row: i and u mean "read the row", d means "the reader does not see it any more".
-- The cleanup job deletes the oldest rows without gaps and never the newest: a reader whose watermark is below min(seq) - 1 has missed rows and
-- imports everything again. `autoincrement`, because a number must not be used twice.
create table directoryChange (
  seq   integer primary key autoincrement,
  -- Who reads the row: 'user:<id>', 'org:<id>' (the members of the organization) or '*' (all users). worker/db/feed-tables.ts: the scope of each table.
  scope text not null,
  -- The changed row. tbl 'scope': the reader gains (i) or loses (d) all rows of the scope that rowId names.
  tbl   text not null,
  rowId text not null,
  op    text not null check (op in ('i', 'u', 'd')),
  at    integer not null default (cast(unixepoch('subsec') * 1000 as integer))
);
create index directoryChange_scope on directoryChange (scope, seq);

-- The change feed of the content, like `directoryChange`. All its scopes are 'user:<id>'.
create table contentChange (
  seq   integer primary key autoincrement,
  scope text not null,
  tbl   text not null,
  rowId text not null,
  op    text not null check (op in ('i', 'u', 'd')),
  at    integer not null default (cast(unixepoch('subsec') * 1000 as integer))
);
create index contentChange_scope on contentChange (scope, seq);

-- Mutations of a client are applied in order, each once. A writer that decided from an older state fails here.
-- Writers insert or ignore a row with lastMutationID 0 and then update it.
create trigger clientProgress_order before update of previousMutationID, lastMutationID on clientProgress
  when new.previousMutationID <> old.lastMutationID or new.lastMutationID <= new.previousMutationID begin
  select raise(abort, 'stale_mutation');
end;
-- worker/contract/limits.ts: maxClientsPerGroup. Writers first delete rows of clients that are gone (worker/db/progress.ts).
create trigger clientProgress_bound before insert on clientProgress
  when not exists (
      select 1 from clientProgress
        where userId = new.userId and clientGroupID = new.clientGroupID and clientID = new.clientID
    )
    and (select count(*) from clientProgress where userId = new.userId and clientGroupID = new.clientGroupID) >= 1000 begin
  select raise(abort, 'too_many_clients');
end;

-- Every mutation advances the progress of its client, applied or refused. The insert is the first mutation of a client.
-- The count of a day (0007) grows by the mutations of the push.
create trigger clientProgress_counted_inserted after insert on clientProgress begin
  insert into contentUse (userId, mutations, mutationDay)
    values (new.userId, new.lastMutationID - new.previousMutationID, new.updatedAt / 86400000)
    on conflict (userId) do update set
      mutations = iif(mutationDay >= excluded.mutationDay, mutations, 0) + excluded.mutations,
      mutationDay = max(mutationDay, excluded.mutationDay);
end;
create trigger clientProgress_counted_updated after update of lastMutationID on clientProgress begin
  insert into contentUse (userId, mutations, mutationDay)
    values (new.userId, new.lastMutationID - old.lastMutationID, new.updatedAt / 86400000)
    on conflict (userId) do update set
      mutations = iif(mutationDay >= excluded.mutationDay, mutations, 0) + excluded.mutations,
      mutationDay = max(mutationDay, excluded.mutationDay);
end;
