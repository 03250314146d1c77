-- The plan of a research is free, and so it is the one model call that no ledger bounds: four for each research of a PRO day are enough.
create trigger generation_plans before insert on generation
  when new.mode = 'research' and new.continueId is null
    and (select count(*) from generation where userId = new.userId and day = new.day and mode = 'research' and continueId is null) >= 60 begin
  select raise(abort, 'plan_limit_reached');
end;
create index generation_plans on generation (userId, day) where mode = 'research';
