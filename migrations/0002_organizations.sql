-- Directory: organizations with their members, invitations, teams, customers and shared prompts. Names are those of better-auth 1.7.25 (plugin
-- organization with teams) and of worker/contract/schema.ts.
-- better-auth reads, decides and then writes. The guards decide again inside the write, so that parallel requests cannot break a rule together.

create table organization (
  id           text primary key not null,
  name         text not null,
  slug         text unique,
  logo         text,
  createdAt    integer not null,
  metadata     text,
  -- 1: members of the organization share no threads, and their existing links do not work.
  isSharingOff integer
);

create table member (
  id             text primary key not null,
  organizationId text not null references organization (id) on delete cascade,
  userId         text not null references user (id) on delete cascade,
  role           text default 'member',
  createdAt      integer not null
);
create index member_user on member (userId);
create unique index member_organization on member (organizationId, userId);

-- Name and address of each member, for the other members, who cannot read `user` rows. Triggers copy them from `user`; `id` is the id of the member row.
create table memberProfile (
  id             text primary key not null,
  organizationId text not null references organization (id) on delete cascade,
  userId         text not null,
  name           text not null,
  email          text not null,
  image          text
);
create index memberProfile_organization on memberProfile (organizationId);
create index memberProfile_user on memberProfile (userId);

create table invitation (
  id             text primary key not null,
  organizationId text not null references organization (id) on delete cascade,
  email          text not null,
  role           text,
  teamId         text,
  status         text not null default 'pending',
  expiresAt      integer not null,
  createdAt      integer not null,
  inviterId      text not null references user (id) on delete cascade
);
create index invitation_organization on invitation (organizationId);
create index invitation_email on invitation (email);
create index invitation_inviter on invitation (inviterId);
-- An address has at most one pending invitation to an organization.
create unique index invitation_open on invitation (organizationId, email) where status = 'pending';

create table team (
  id             text primary key not null,
  name           text not null,
  memberCount    integer not null default 0,
  organizationId text not null references organization (id) on delete cascade,
  createdAt      integer not null,
  updatedAt      integer
);
create index team_organization on team (organizationId);

create table teamMember (
  id            text primary key not null,
  teamId        text not null references team (id) on delete cascade,
  userId        text not null references user (id) on delete cascade,
  membershipKey text unique,
  createdAt     integer
);
create index teamMember_team on teamMember (teamId);
create index teamMember_user on teamMember (userId);

create table organizationCustomer (
  id             text primary key not null,
  organizationId text not null unique references organization (id) on delete cascade,
  subscription   text
);
-- As `userCustomer_period` (0001).
create index organizationCustomer_period on organizationCustomer (
  case when json_valid(subscription) then json_extract(subscription, '$.currentPeriodEndMs') end
) where subscription is not null;

-- The copy of a prompt for the members of an organization. It ends with the author's membership.
create table sharedPrompt (
  -- The id of the prompt.
  id             text primary key not null,
  organizationId text not null references organization (id) on delete cascade,
  memberId       text not null references member (id) on delete cascade,
  userId         text not null,
  name           text not null,
  text           text not null,
  -- A write that arrives late does not replace a newer one (worker/db/writes.ts).
  updatedAt      integer not null,
  -- No longer shared; name and text are empty.
  deletedAt      integer
);
create index sharedPrompt_organization on sharedPrompt (organizationId, id);
create index sharedPrompt_member on sharedPrompt (memberId);
create index sharedPrompt_deleted on sharedPrompt (deletedAt) where deletedAt is not null;

-- Size: as for `user` (0001).
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

-- worker/contract/limits.ts: maxSharedPrompts. The mutator refuses earlier; two members can pass it at once.
-- Ended copies count until they are purged after a day, so that sharing in turns adds no more rows. A repeated insert changes the existing row.
create trigger sharedPrompt_limit before insert on sharedPrompt
  when not exists (select 1 from sharedPrompt where id = new.id)
    and (select count(*) from sharedPrompt where organizationId = new.organizationId) >= 100 begin
  select raise(abort, 'shared_prompt_limit_reached');
end;
create trigger sharedPrompt_moved_limit before update of organizationId on sharedPrompt
  when new.organizationId <> old.organizationId
    and (select count(*) from sharedPrompt where organizationId = new.organizationId) >= 100 begin
  select raise(abort, 'shared_prompt_limit_reached');
end;
-- One member cannot fill the limit of the organization. worker/contract/limits.ts: maxSharedPromptsPerMember.
create trigger sharedPrompt_member_limit before insert on sharedPrompt
  when not exists (select 1 from sharedPrompt where id = new.id)
    and (select count(*) from sharedPrompt where memberId = new.memberId) >= 20 begin
  select raise(abort, 'member_prompt_limit_reached');
end;
create trigger sharedPrompt_moved_member_limit before update of memberId on sharedPrompt
  when new.memberId <> old.memberId
    and (select count(*) from sharedPrompt where memberId = new.memberId) >= 20 begin
  select raise(abort, 'member_prompt_limit_reached');
end;
