-- Content: servers of tools (MCP) that a user has added, and their credentials.

create table toolServer (
  id          text primary key not null,
  userId      text not null,
  name        text not null,
  url         text not null,
  -- none, headers or oauth.
  login       text not null,
  -- ready, login or failed.
  state       text not null,
  -- Why the last connection failed (worker/contract/tools/tool-servers.ts).
  failure     text,
  -- JSON: the definitions of the tools, as the server last described them.
  tools       text not null,
  -- Tools whose definitions cannot be used.
  unusable    integer not null default 0,
  -- JSON: names of tools that the user has switched off.
  off         text,
  -- JSON: names of the headers that the user has entered.
  headerNames text,
  createdAt   integer not null,
  checkedAt   integer not null
);
-- Servers of a user by id, to build a replica page by page.
create index toolServer_user on toolServer (userId, id);

-- Never synced, exported or logged. The row exists exactly as long as its server.
create table toolServerSecret (
  id            text primary key not null,
  userId        text not null,
  -- Headers and tokens, encrypted with a key from the Worker's secret (worker/lib/sealed.ts).
  sealed        text not null,
  -- Counts the writes, so that two requests do not write over each other.
  version       integer not null default 1,
  -- Until then one request renews the token. A refresh token can be used only once.
  renewingUntil integer not null default 0
);
create index toolServerSecret_user on toolServerSecret (userId);

-- worker/contract/limits.ts: maxToolServers.
create trigger toolServer_limit before insert on toolServer
  when (select count(*) from toolServer where userId = new.userId) >= 10 begin
  select raise(abort, 'tool_server_limit_reached');
end;
create trigger toolServer_guest_linked before insert on toolServer
  when exists (select 1 from linking where guestId = new.userId) begin
  select raise(abort, 'guest_linked');
end;
create trigger toolServer_account_deleted before insert on toolServer
  when exists (select 1 from accountDeletion where userId = new.userId) begin
  select raise(abort, 'account_deleted');
end;
create trigger toolServer_deleted after delete on toolServer begin
  delete from toolServerSecret where id = old.id;
end;

-- Counted as content (0007_storage.sql).
create trigger toolServer_counted after insert on toolServer begin
  insert into contentUse (userId, bytes, rows) values (new.userId, octet_length(new.name || new.url || new.tools), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger toolServer_resized after update of name, url, tools on toolServer
  when new.userId = old.userId and octet_length(new.name || new.url || new.tools) <> octet_length(old.name || old.url || old.tools) begin
  update contentUse
    set bytes = bytes + octet_length(new.name || new.url || new.tools) - octet_length(old.name || old.url || old.tools)
    where userId = new.userId;
end;
create trigger toolServer_moved after update of userId on toolServer when new.userId <> old.userId begin
  update contentUse set bytes = bytes - octet_length(old.name || old.url || old.tools), rows = rows - 1 where userId = old.userId;
  insert into contentUse (userId, bytes, rows) values (new.userId, octet_length(new.name || new.url || new.tools), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger toolServer_uncounted after delete on toolServer begin
  update contentUse set bytes = bytes - octet_length(old.name || old.url || old.tools), rows = rows - 1 where userId = old.userId;
end;
