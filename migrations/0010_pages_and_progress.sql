-- A person's threads in pages, when their replica is built; what 0003 has for messages.
create index thread_user on thread (userId, id);

-- Client groups are named by browsers. They are one person's each now, so that whoever uses another's name meets nothing, not even a refusal.
create table clientProgress_of_person (
  userId         text not null,
  clientGroupID  text not null,
  clientID       text not null,
  lastMutationID integer not null default 0,
  updatedAt      integer not null,
  primary key (userId, clientGroupID, clientID)
);
insert into clientProgress_of_person select userId, clientGroupID, clientID, lastMutationID, updatedAt from clientProgress;
drop table clientProgress;
alter table clientProgress_of_person rename to clientProgress;

create table mutationResult_of_person (
  userId        text not null,
  clientGroupID text not null,
  clientID      text not null,
  mutationID    integer not null,
  result        text not null,
  createdAt     integer not null,
  primary key (userId, clientGroupID, clientID, mutationID)
);
insert into mutationResult_of_person select userId, clientGroupID, clientID, mutationID, result, createdAt from mutationResult;
drop table mutationResult;
alter table mutationResult_of_person rename to mutationResult;

-- As in 0005; the guard of a group's owner went with the table.
create trigger clientProgress_order before update of lastMutationID on clientProgress
  when new.lastMutationID <> old.lastMutationID + 1 begin
  select raise(abort, 'stale_mutation');
end;
