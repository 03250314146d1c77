-- A push advances its client once, from `previousMutationID` to `lastMutationID`, not once for each of its mutations.
alter table clientProgress add column previousMutationID integer not null default 0;

drop trigger clientProgress_order;
create trigger clientProgress_order before update of previousMutationID on clientProgress
  when new.previousMutationID <> old.lastMutationID or new.lastMutationID <= new.previousMutationID begin
  select raise(abort, 'stale_mutation');
end;
-- A Worker before this migration sets `lastMutationID` only, and runs until the deploy ends or after a rollback. Such an update advances by one.
-- Every row has previousMutationID < lastMutationID, so `new.previousMutationID` is `old.lastMutationID` only if the update sets it.
create trigger clientProgress_order_of_older_workers before update of lastMutationID on clientProgress
  when new.previousMutationID <> old.lastMutationID and new.lastMutationID <> old.lastMutationID + 1 begin
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
    values (new.userId, new.lastMutationID - old.lastMutationID, new.updatedAt / 86400000)
    on conflict (userId) do update set
      mutations = iif(mutationDay >= excluded.mutationDay, mutations, 0) + excluded.mutations,
      mutationDay = max(mutationDay, excluded.mutationDay);
end;

-- One push can make a whole step: as the first push of a user, or as the first push of a day after a day that ended in the same step.
drop trigger contentUse_mutations_shown;
create trigger contentUse_mutations_shown after update of mutations on contentUse
  when new.mutations / 100 <> old.mutations / 100 or new.mutations >= 100 and new.mutationDay <> old.mutationDay begin
  update usage set mutations = new.mutations / 100 * 100, mutationDay = new.mutationDay where userId = new.userId;
end;
create trigger contentUse_first_mutations_shown after insert on contentUse when new.mutations >= 100 begin
  update usage set mutations = new.mutations / 100 * 100, mutationDay = new.mutationDay where userId = new.userId;
end;
