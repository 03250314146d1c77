-- Directory: servers of tools (MCP) that owners and admins have added for an organization, and their credentials. As `toolServer` (0014).

create table organizationToolServer (
  id             text primary key not null,
  organizationId text not null references organization (id) on delete cascade,
  -- Host of the address. Members see it instead of the address, which can contain a key.
  host           text not null,
  name           text not null,
  -- Never synced.
  url            text not null,
  login          text not null,
  state          text not null,
  failure        text,
  tools          text not null,
  unusable       integer not null default 0,
  off            text,
  headerNames    text,
  createdAt      integer not null,
  checkedAt      integer not null,
  resources      text,
  prompts        text,
  leftOut        text
);
-- Servers of an organization by id, to build a replica page by page.
create index organizationToolServer_organization on organizationToolServer (organizationId, id);

-- Never synced, exported or logged. The row exists exactly as long as its server.
create table organizationToolServerSecret (
  id             text primary key not null references organizationToolServer (id) on delete cascade,
  organizationId text not null,
  sealed         text not null,
  version        integer not null default 1,
  renewingUntil  integer not null default 0
);
create index organizationToolServerSecret_organization on organizationToolServerSecret (organizationId);

-- worker/contract/limits.ts: maxToolServers.
create trigger organizationToolServer_limit before insert on organizationToolServer
  when (select count(*) from organizationToolServer where organizationId = new.organizationId) >= 10 begin
  select raise(abort, 'tool_server_limit_reached');
end;
