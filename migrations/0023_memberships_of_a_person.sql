-- A person may be in so many organizations, and of invitations accepted at one moment each finds room. Whoever is in more already stays.

-- worker/contract/limits.ts: maxOrganizationsPerPerson. Not of an organization without members, which is being made: refused here, it would
-- be nobody's and keep its short name. Whoever makes it looks afterwards whether it is one too many.
create trigger person_limit before insert on member
  when (select count(*) from member where userId = new.userId) >= 10
    and exists (select 1 from member where organizationId = new.organizationId) begin
  select raise(abort, 'person_limit_reached');
end;
