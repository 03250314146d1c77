-- A push advances its client once, from `previousMutationID` to `lastMutationID`, not once for each of its mutations.
alter table clientProgress add column previousMutationID integer not null default 0;

drop trigger clientProgress_order;
create trigger clientProgress_order before update of lastMutationID on clientProgress
  when new.previousMutationID <> old.lastMutationID or new.lastMutationID <= new.previousMutationID begin
  select raise(abort, 'stale_mutation');
end;

-- The count of a day grows by the mutations of the push.
drop trigger clientProgress_counted_inserted;
create trigger clientProgress_counted_inserted after insert on clientProgress begin
  insert into contentUse (userId, mutations, mutationDay)
    values (new.userId, new.lastMutationID - new.previousMutationID, new.updatedAt / 86400000)
    on conflict (userId) do update set
      mutations = iif(mutationDay >= excluded.mutationDay, mutations, 0) + excluded.mutations,
      mutationDay = max(mutationDay, excluded.mutationDay);
end;
drop trigger clientProgress_counted_updated;
create trigger clientProgress_counted_updated after update of lastMutationID on clientProgress begin
  insert into contentUse (userId, mutations, mutationDay)
    values (new.userId, new.lastMutationID - new.previousMutationID, new.updatedAt / 86400000)
    on conflict (userId) do update set
      mutations = iif(mutationDay >= excluded.mutationDay, mutations, 0) + excluded.mutations,
      mutationDay = max(mutationDay, excluded.mutationDay);
end;
