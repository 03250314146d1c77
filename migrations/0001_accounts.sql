-- The directory: users, sessions, customers, organizations and models. One database holds it for all users; worker/db/shards.ts.
-- The content is what users write and choose; it can be spread over several databases, each with all of these tables. No foreign key refers from
-- the directory to the content or back, because they may be in different databases.
-- This file: users, sessions and customers. Names are those of better-auth 1.7.25 (plugins anonymous, magic link, email OTP, jwt) and of
-- worker/contract/schema.ts. Times are epoch milliseconds, booleans 0 or 1.
--
-- Triggers state the rules that hold for every writer. A guard aborts its statement and the D1 batch around it; worker/db/errors.ts maps the codes.

create table user (
  -- Ends in the number of the user's content database; without an ending it is the first one (worker/db/shards.ts).
  id            text primary key not null,
  name          text not null,
  email         text not null unique,
  emailVerified integer not null default 0,
  image         text,
  isAnonymous   integer default 0,
  createdAt     integer not null,
  updatedAt     integer not null
);
-- The cleanup job deletes inactive guests, oldest first.
create index user_guests on user (updatedAt) where isAnonymous = 1;

create table session (
  id                   text primary key not null,
  expiresAt            integer not null,
  token                text not null unique,
  createdAt            integer not null,
  updatedAt            integer not null,
  ipAddress            text,
  userAgent            text,
  userId               text not null references user (id) on delete cascade,
  activeOrganizationId text,
  activeTeamId         text
);
create index session_user on session (userId);
-- The cleanup job deletes expired sessions.
create index session_expiry on session (expiresAt);

create table account (
  id                    text primary key not null,
  accountId             text not null,
  providerId            text not null,
  userId                text not null references user (id) on delete cascade,
  accessToken           text,
  refreshToken          text,
  idToken               text,
  accessTokenExpiresAt  integer,
  refreshTokenExpiresAt integer,
  scope                 text,
  password              text,
  createdAt             integer not null,
  updatedAt             integer not null
);
create index account_user on account (userId);
-- Sign-in with Google or GitHub finds its account by these columns.
create unique index account_provider on account (providerId, accountId);

create table verification (
  id         text primary key not null,
  identifier text not null,
  value      text not null,
  expiresAt  integer not null,
  createdAt  integer not null,
  updatedAt  integer not null
);
create index verification_identifier on verification (identifier);
create index verification_expiry on verification (expiresAt);

create table jwks (
  id         text primary key not null,
  publicKey  text not null,
  privateKey text not null,
  createdAt  integer not null,
  expiresAt  integer,
  alg        text,
  crv        text
);

-- Sign-in attempts, counted here when no Redis is configured.
create table rateLimit (
  id          text primary key not null,
  key         text not null unique,
  count       integer not null,
  lastRequest integer not null
);

-- Emails of a development server without an email provider. `body` is plain text, `html` the same content as HTML.
create table outbox (
  id        text primary key not null,
  recipient text not null,
  subject   text not null,
  body      text not null,
  createdAt integer not null,
  html      text
);
create index outbox_recipient on outbox (recipient, createdAt);

create table userCustomer (
  id           text primary key not null,
  userId       text not null unique references user (id) on delete cascade,
  subscription text
);
-- The scheduled handler reloads subscriptions whose billing period should have ended. Text that is not JSON has no period.
create index userCustomer_period on userCustomer (
  case when json_valid(subscription) then json_extract(subscription, '$.currentPeriodEndMs') end
) where subscription is not null;

-- A lock for calls to the payment provider about one customer: what is read there first is written here first.
-- `id` is 'user:…' or 'organization:…'. After `untilMs` another holder may take the lease; its higher fence rejects writes of the old holder.
create table billingLease (
  id      text primary key not null,
  fence   integer not null,
  untilMs integer not null
);

-- Objects of the simulated payment provider, as JSON. Used in development without a payment provider; empty in production.
create table paymentObject (
  id        text primary key not null,
  kind      text not null,
  customer  text,
  body      text not null,
  createdAt integer not null
);
create index paymentObject_customer on paymentObject (kind, customer);

-- What an account had used on the day it was deleted. An account that is created with the same address on that day starts with these counts.
-- `address` is a digest of the address, the day and a secret key: rows of two days cannot be linked, and the address cannot be recovered.
create table usedBefore (
  address   text primary key not null,
  day       integer not null,
  credits   integer not null,
  search    integer not null,
  research  integer not null,
  unpaid    integer not null,
  forks     integer not null,
  mutations integer not null default 0
);
create index usedBefore_day on usedBefore (day);

-- Size: D1 stores no row above 2 MB, and the local runtime does not enforce it. worker/contract/limits.ts: maxRowBytes.
create trigger user_size_inserted before insert on user
  when length(cast(new.name || coalesce(new.image, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger user_size_updated before update on user
  when length(cast(new.name || coalesce(new.image, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
