-- What the team screens show live: who the members are, who is invited, and the teams. All of it is seen by every member, like 0002's tables.

-- Members know each other by name and address; a user row is its own business. One row per membership, with its id, kept by triggers alone.
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

create trigger memberProfile_inserted after insert on memberProfile begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'memberProfile', new.id, 'i' from member where organizationId = new.organizationId;
end;
create trigger memberProfile_updated after update on memberProfile begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'memberProfile', new.id, 'u' from member where organizationId = new.organizationId;
end;
create trigger memberProfile_deleted after delete on memberProfile begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'memberProfile', old.id, 'd' from member where organizationId = old.organizationId;
end;

create trigger user_profiled after update of name, email, image on user
  when new.name is not old.name or new.email is not old.email or new.image is not old.image begin
  update memberProfile set name = new.name, email = new.email, image = new.image where userId = new.id;
end;

-- Invitations: who is invited has no row of this organization yet and asks over HTTP.

create trigger invitation_inserted after insert on invitation begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'invitation', new.id, 'i' from member where organizationId = new.organizationId;
end;
create trigger invitation_updated after update on invitation begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'invitation', new.id, 'u' from member where organizationId = new.organizationId;
end;
create trigger invitation_deleted after delete on invitation begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'invitation', old.id, 'd' from member where organizationId = old.organizationId;
end;

create trigger team_inserted after insert on team begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'team', new.id, 'i' from member where organizationId = new.organizationId;
end;
create trigger team_updated after update on team begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'team', new.id, 'u' from member where organizationId = new.organizationId;
end;
-- Before, because its members' rows go with it and no longer know whose they were.
create trigger team_deleted before delete on team begin
  insert into directoryChange (userId, tbl, rowId, op)
    select viewer.userId, 'teamMember', seen.id, 'd'
      from member viewer, teamMember seen where viewer.organizationId = old.organizationId and seen.teamId = old.id;
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'team', old.id, 'd' from member where organizationId = old.organizationId;
end;

create trigger teamMember_inserted after insert on teamMember begin
  insert into directoryChange (userId, tbl, rowId, op)
    select member.userId, 'teamMember', new.id, 'i'
      from team join member on member.organizationId = team.organizationId where team.id = new.teamId;
end;
create trigger teamMember_updated after update on teamMember begin
  insert into directoryChange (userId, tbl, rowId, op)
    select member.userId, 'teamMember', old.id, 'd'
      from team join member on member.organizationId = team.organizationId where team.id = old.teamId;
  insert into directoryChange (userId, tbl, rowId, op)
    select member.userId, 'teamMember', new.id, 'i'
      from team join member on member.organizationId = team.organizationId where team.id = new.teamId;
end;
create trigger teamMember_deleted after delete on teamMember begin
  insert into directoryChange (userId, tbl, rowId, op)
    select member.userId, 'teamMember', old.id, 'd'
      from team join member on member.organizationId = team.organizationId where team.id = old.teamId;
end;

-- Whoever joins sees all of it, whoever leaves none. Team memberships are better-auth's to remove: it counts them.

create view teamScreenRow as
  select organizationId, 'memberProfile' tbl, id rowId from memberProfile
  union all select organizationId, 'invitation', id from invitation
  union all select organizationId, 'team', id from team
  union all select team.organizationId, 'teamMember', teamMember.id from teamMember join team on team.id = teamMember.teamId;

create trigger member_arrived after insert on member begin
  insert into memberProfile (id, organizationId, userId, name, email, image)
    select new.id, new.organizationId, id, name, email, image from user where id = new.userId;
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, tbl, rowId, 'i' from teamScreenRow where organizationId = new.organizationId and rowId <> new.id;
end;

create trigger member_departed after delete on member begin
  delete from memberProfile where id = old.id;
  insert into directoryChange (userId, tbl, rowId, op) values (old.userId, 'memberProfile', old.id, 'd');
  insert into directoryChange (userId, tbl, rowId, op)
    select old.userId, tbl, rowId, 'd' from teamScreenRow where organizationId = old.organizationId;
end;

create trigger member_changedHands after update on member
  when new.id <> old.id or new.userId <> old.userId or new.organizationId <> old.organizationId begin
  delete from memberProfile where id = old.id;
  insert into directoryChange (userId, tbl, rowId, op) values (old.userId, 'memberProfile', old.id, 'd');
  insert into directoryChange (userId, tbl, rowId, op)
    select old.userId, tbl, rowId, 'd' from teamScreenRow where organizationId = old.organizationId;
  insert into memberProfile (id, organizationId, userId, name, email, image)
    select new.id, new.organizationId, id, name, email, image from user where id = new.userId;
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, tbl, rowId, 'i' from teamScreenRow where organizationId = new.organizationId and rowId <> new.id;
end;

-- Before, because the members who must hear of it go with it.
create trigger organization_screens_deleted before delete on organization begin
  insert into directoryChange (userId, tbl, rowId, op)
    select viewer.userId, seen.tbl, seen.rowId, 'd'
      from member viewer join teamScreenRow seen on seen.organizationId = viewer.organizationId
      where viewer.organizationId = old.id;
end;

-- An organization keeps an owner, also when two of them leave at the same moment. When the organization itself goes, its row is gone first.
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

-- Memberships from before this migration.
insert into memberProfile (id, organizationId, userId, name, email, image)
  select member.id, member.organizationId, user.id, user.name, user.email, user.image from member join user on user.id = member.userId;
