-- Content and directory: credentials of deleted tool servers, until their tokens are revoked (worker/db/token-revocations.ts). Never synced or exported.

create table tokenRevocation (
  -- Id of the server.
  id        text primary key not null,
  -- As in `toolServerSecret`.
  sealed    text not null,
  createdAt integer not null,
  -- Attempts that have begun.
  attempts  integer not null default 0,
  -- The next attempt is not before.
  dueAt     integer not null
);
create index tokenRevocation_due on tokenRevocation (dueAt);
