-- An acceptance that failed opens its invitation again (0022). When the same address was invited once more in that moment there is another that is
-- open, and an address has one (0020): the newer stays, this one is left as it is, and whoever is no member is in no team either.
create trigger invitation_superseded before update of status on invitation
  when old.status = 'accepted' and new.status = 'pending'
    and exists (select 1 from invitation
                  where organizationId = old.organizationId and email = old.email and status = 'pending' and id <> old.id)
    and not exists (select 1 from member join user on user.id = member.userId
                      where member.organizationId = old.organizationId and user.email = old.email) begin
  delete from teamMember
    where userId = (select id from user where email = old.email)
      and teamId in (select id from team where organizationId = old.organizationId);
  update team set memberCount = (select count(*) from teamMember where teamId = team.id)
    where organizationId = old.organizationId
      and memberCount <> (select count(*) from teamMember where teamId = team.id);
  select raise(ignore);
end;
