-- The directory: who people are, what they belong to, what they pay for, which models exist.
-- Names are those of better-auth 1.7.7 (plugins anonymous, magic link, e-mail code, jwt, organization with teams) and of worker/contract/schema.ts.
-- Times are epoch milliseconds, booleans 0 or 1. Nothing here refers to a table of 0003: the two groups may live in different databases one day.

create table user (
  id            text primary key not null,
  name          text not null,
  email         text not null unique,
  emailVerified integer not null default 0,
  image         text,
  isAnonymous   integer default 0,
  createdAt     integer not null,
  updatedAt     integer not null
);

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
-- The list of a person's sessions, and the cascade of a deleted user.
create index session_user on session (userId);
-- The tidying job removes what expired.
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
-- Sign-in through Google or GitHub looks its account up by these two.
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

-- Counts of sign-in attempts where no Redis is configured.
create table rateLimit (
  id          text primary key not null,
  key         text not null unique,
  count       integer not null,
  lastRequest integer not null
);

-- Where mail lands in development when no mail company is configured.
create table outbox (
  id        text primary key not null,
  recipient text not null,
  subject   text not null,
  body      text not null,
  createdAt integer not null
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
-- Nobody is a member twice; the feed relies on it when it decides what a removed member may no longer see.
create unique index member_organization on member (organizationId, userId);

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
  position                           integer not null,
  createdAt                          integer not null,
  updatedAt                          integer not null
);

-- The feed: one row per change per person who may see it, written by the triggers of 0002. userId '*' means everybody.
-- autoincrement, because a number must never be used again after the tidying job removed old rows.
create table directoryChange (
  seq    integer primary key autoincrement,
  userId text not null,
  tbl    text not null,
  rowId  text not null,
  op     text not null check (op in ('i', 'u', 'd')),
  at     integer not null default (cast(unixepoch('subsec') * 1000 as integer))
);
create index directoryChange_user on directoryChange (userId, seq);
