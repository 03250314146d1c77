-- An address has one open invitation to an organization. better-auth looks before it writes; of several that were sent at one moment each
-- found nothing. Of those there are already, the one that is open longest stays.

update invitation set status = 'canceled'
  where status = 'pending' and exists (
    select 1 from invitation other
      where other.organizationId = invitation.organizationId and other.email = invitation.email and other.status = 'pending'
        and (other.expiresAt > invitation.expiresAt or other.expiresAt = invitation.expiresAt and other.id > invitation.id)
  );

-- What has expired is answered no more: it makes room for the next one, instead of standing beside it.
create trigger invitation_expired before insert on invitation when new.status = 'pending' begin
  update invitation set status = 'canceled'
    where organizationId = new.organizationId and email = new.email and status = 'pending' and expiresAt <= new.createdAt;
end;

create unique index invitation_open on invitation (organizationId, email) where status = 'pending';
