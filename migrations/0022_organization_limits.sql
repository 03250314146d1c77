-- better-auth counts before it writes, and looks at an invitation before it changes it. Of what is asked for at one moment each finds room, and
-- each finds the invitation open. So the record refuses what is too much, and what comes too late. Rows that are too many already stay.

-- worker/contract/limits.ts: maxTeams, maxPendingInvitations, maxOrganizationMembers.
create trigger team_limit before insert on team
  when (select count(*) from team where organizationId = new.organizationId) >= 50 begin
  select raise(abort, 'team_limit_reached');
end;

-- As better-auth counts them: what has expired waits for nobody.
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

-- Accepted, declined or withdrawn: whoever comes first. An acceptance that failed before there was a member opens the invitation again.
create trigger invitation_answered before update of status on invitation
  when old.status <> 'pending' and new.status <> old.status
    and not (old.status = 'accepted' and new.status = 'pending'
             and not exists (select 1 from member join user on user.id = member.userId
                               where member.organizationId = old.organizationId and user.email = old.email)) begin
  select raise(abort, 'invitation_answered');
end;

-- Teams are joined first, so whoever was no member in the end is in none of them. Teams count their members.
create trigger invitation_reopened after update of status on invitation
  when old.status = 'accepted' and new.status = 'pending' begin
  delete from teamMember
    where userId = (select id from user where email = new.email)
      and teamId in (select id from team where organizationId = new.organizationId);
  update team set memberCount = (select count(*) from teamMember where teamId = team.id)
    where organizationId = new.organizationId
      and memberCount <> (select count(*) from teamMember where teamId = team.id);
end;
