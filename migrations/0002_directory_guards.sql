-- Rules of the directory that hold for every writer. A guard aborts its statement and the D1 batch around it; worker/db/errors.ts maps the codes.
-- better-auth reads, decides and then writes. These triggers decide again inside the write, so that parallel requests cannot break a rule together.

-- Size: D1 stores no row above 2 MB, and the local runtime does not enforce it. worker/contract/limits.ts: maxRowBytes.

create trigger user_size_inserted before insert on user
  when length(cast(new.name || coalesce(new.image, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger user_size_updated before update on user
  when length(cast(new.name || coalesce(new.image, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;

create trigger organization_size_inserted before insert on organization
  when length(cast(new.name || coalesce(new.logo, '') || coalesce(new.metadata, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger organization_size_updated before update on organization
  when length(cast(new.name || coalesce(new.logo, '') || coalesce(new.metadata, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;

-- `memberProfile` has a row for each member and follows `user`.

create trigger member_profile_inserted after insert on member begin
  insert into memberProfile (id, organizationId, userId, name, email, image)
    select new.id, new.organizationId, id, name, email, image from user where id = new.userId;
end;
create trigger member_profile_moved after update of id, userId, organizationId on member
  when new.id <> old.id or new.userId <> old.userId or new.organizationId <> old.organizationId begin
  delete from memberProfile where id = old.id;
  insert into memberProfile (id, organizationId, userId, name, email, image)
    select new.id, new.organizationId, id, name, email, image from user where id = new.userId;
end;
create trigger member_profile_deleted after delete on member begin
  delete from memberProfile where id = old.id;
end;

create trigger user_profiled after update of name, email, image on user
  when new.name is not old.name or new.email is not old.email or new.image is not old.image begin
  update memberProfile set name = new.name, email = new.email, image = new.image where userId = new.id;
end;

-- An organization keeps at least one owner. When the organization itself is deleted, its row is gone before its members are deleted.

create trigger member_lastOwner_deleted before delete on member
  when old.role = 'owner' and exists (select 1 from organization where id = old.organizationId)
    and not exists (select 1 from member where organizationId = old.organizationId and role = 'owner' and id <> old.id) begin
  select raise(abort, 'last_owner');
end;
create trigger member_lastOwner_updated before update of role on member
  when old.role = 'owner' and new.role is not 'owner'
    and not exists (select 1 from member where organizationId = old.organizationId and role = 'owner' and id <> old.id) begin
  select raise(abort, 'last_owner');
end;

-- A pending invitation that has expired gives way to a new one for the same address.
create trigger invitation_expired before insert on invitation when new.status = 'pending' begin
  update invitation set status = 'canceled'
    where organizationId = new.organizationId and email = new.email and status = 'pending' and expiresAt <= new.createdAt;
end;

-- Limits of worker/contract/limits.ts: maxTeams, maxPendingInvitations, maxOrganizationMembers, maxOrganizationsPerPerson.

create trigger team_limit before insert on team
  when (select count(*) from team where organizationId = new.organizationId) >= 50 begin
  select raise(abort, 'team_limit_reached');
end;
-- A pending invitation that has expired does not count.
create trigger invitation_limit before insert on invitation
  when new.status = 'pending'
    and (select count(*) from invitation
           where organizationId = new.organizationId and status = 'pending' and expiresAt > new.createdAt) >= 100 begin
  select raise(abort, 'invitation_limit_reached');
end;
create trigger member_limit before insert on member
  when (select count(*) from member where organizationId = new.organizationId) >= 200 begin
  select raise(abort, 'member_limit_reached');
end;
-- Does not apply to the first member of a new organization: refusing that row would leave an organization without members that holds its slug.
-- The code that creates organizations checks the limit afterwards and deletes the organization.
create trigger person_limit before insert on member
  when (select count(*) from member where userId = new.userId) >= 10
    and exists (select 1 from member where organizationId = new.organizationId) begin
  select raise(abort, 'person_limit_reached');
end;

-- An invitation is answered once. better-auth sets an accepted invitation back to pending when adding the member failed.
create trigger invitation_answered before update of status on invitation
  when old.status <> 'pending' and new.status <> old.status
    and not (old.status = 'accepted' and new.status = 'pending'
             and not exists (select 1 from member join user on user.id = member.userId
                               where member.organizationId = old.organizationId and user.email = old.email)) begin
  select raise(abort, 'invitation_answered');
end;
-- better-auth adds the user to the teams before it adds the member. When adding the member failed, remove the user from the teams again.
create trigger invitation_reopened after update of status on invitation
  when old.status = 'accepted' and new.status = 'pending' begin
  delete from teamMember
    where userId = (select id from user where email = new.email)
      and teamId in (select id from team where organizationId = new.organizationId);
  update team set memberCount = (select count(*) from teamMember where teamId = team.id)
    where organizationId = new.organizationId
      and memberCount <> (select count(*) from teamMember where teamId = team.id);
end;
-- The same, when a newer invitation for the address is pending meanwhile: the accepted one stays as it is, because an address has at most one.
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
