-- The directory: users, sessions, organizations, subscriptions and models. One database holds it for all users; worker/db/shards.ts.
-- Names are those of better-auth 1.7.7 (plugins anonymous, magic link, email OTP, jwt, organization with teams) and of worker/contract/schema.ts.
-- Times are epoch milliseconds, booleans 0 or 1. No foreign key refers to a content table (0003), because the content may be in other databases.

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

create table organization (
  id        text primary key not null,
  name      text not null,
  slug      text unique,
  logo      text,
  createdAt integer not null,
  metadata  text
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

create table userCustomer (
  id           text primary key not null,
  userId       text not null unique references user (id) on delete cascade,
  subscription text
);

create table organizationCustomer (
  id             text primary key not null,
  organizationId text not null unique references organization (id) on delete cascade,
  subscription   text
);

-- The scheduled handler reloads subscriptions whose billing period should have ended. Text that is not JSON has no period.
create index userCustomer_period on userCustomer (
  case when json_valid(subscription) then json_extract(subscription, '$.currentPeriodEndMs') end
) where subscription is not null;
create index organizationCustomer_period on organizationCustomer (
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
  address  text primary key not null,
  day      integer not null,
  credits  integer not null,
  search   integer not null,
  research integer not null,
  unpaid   integer not null,
  forks    integer not null
);
create index usedBefore_day on usedBefore (day);

create table model (
  id                                 text primary key not null,
  name                               text not null,
  model                              text not null,
  provider                           text not null,
  description                        text not null,
  capabilities                       text,
  effort                             text,
  icon                               text not null,
  credits                            integer,
  access                             text,
  inputMicroDollarsPerMillionTokens  integer,
  outputMicroDollarsPerMillionTokens integer,
  -- Null: not known; worker/contract/context-budget.ts assumes a small window.
  contextTokens                      integer,
  maxOutputTokens                    integer,
  position                           integer not null,
  createdAt                          integer not null,
  updatedAt                          integer not null,
  -- A refusal code of worker/contract/errors.ts, or null. The server sets it according to the connected providers; 'model_retired' stays.
  unavailable                        text,
  -- Null: no temperature is sent.
  temperature                        real,
  -- JSON: options of the AI SDK by provider, sent with every call.
  options                            text
);

-- The change feed of the directory: one row for each change of a synced row, written by triggers (0008) in the transaction of the change.
-- A reader takes the last op of each row: i and u mean "read the row", d means "the reader does not see it any more".
-- The cleanup job deletes the oldest rows without gaps and never the newest: a reader whose watermark is below min(seq) - 1 has missed rows and
-- imports everything again. `autoincrement`, because a number must not be used twice.
create table directoryChange (
  seq   integer primary key autoincrement,
  -- Who reads the row: 'user:<id>', 'org:<id>' (the members of the organization) or '*' (all users). worker/db/feed-tables.ts: the scope of each table.
  scope text not null,
  -- The changed row. tbl 'scope': the reader gains (i) or loses (d) all rows of the scope that rowId names.
  tbl   text not null,
  rowId text not null,
  op    text not null check (op in ('i', 'u', 'd')),
  at    integer not null default (cast(unixepoch('subsec') * 1000 as integer))
);
create index directoryChange_scope on directoryChange (scope, seq);
