-- The change feed: every write to a table that browsers see leaves one row per person who sees it, in the same transaction, whoever writes.
-- A reader takes the last op per row: i and u mean "read the row", d means "you see it no more". Rows too many are harmless, rows too few are not.
-- A row that gets another owner or id is d for whoever saw the old one and i for whoever sees the new one.
-- The feed is tidied from its oldest row on and always keeps its newest: a reader whose watermark is below min(seq) - 1 has missed rows and starts over.

-- A user row is seen by that user, a customer by its user, a model by everybody.

create trigger user_inserted after insert on user begin
  insert into directoryChange (userId, tbl, rowId, op) values (new.id, 'user', new.id, 'i');
end;
create trigger user_updated after update on user begin
  insert into directoryChange (userId, tbl, rowId, op) values (old.id, 'user', old.id, case when new.id = old.id then 'u' else 'd' end);
  insert into directoryChange (userId, tbl, rowId, op) select new.id, 'user', new.id, 'i' where new.id <> old.id;
end;
create trigger user_deleted after delete on user begin
  insert into directoryChange (userId, tbl, rowId, op) values (old.id, 'user', old.id, 'd');
end;

create trigger userCustomer_inserted after insert on userCustomer begin
  insert into directoryChange (userId, tbl, rowId, op) values (new.userId, 'userCustomer', new.id, 'i');
end;
create trigger userCustomer_updated after update on userCustomer begin
  insert into directoryChange (userId, tbl, rowId, op)
    values (old.userId, 'userCustomer', old.id, case when new.userId = old.userId and new.id = old.id then 'u' else 'd' end);
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, 'userCustomer', new.id, 'i' where new.userId <> old.userId or new.id <> old.id;
end;
create trigger userCustomer_deleted after delete on userCustomer begin
  insert into directoryChange (userId, tbl, rowId, op) values (old.userId, 'userCustomer', old.id, 'd');
end;

create trigger model_inserted after insert on model begin
  insert into directoryChange (userId, tbl, rowId, op) values ('*', 'model', new.id, 'i');
end;
create trigger model_updated after update on model begin
  insert into directoryChange (userId, tbl, rowId, op) values ('*', 'model', old.id, case when new.id = old.id then 'u' else 'd' end);
  insert into directoryChange (userId, tbl, rowId, op) select '*', 'model', new.id, 'i' where new.id <> old.id;
end;
create trigger model_deleted after delete on model begin
  insert into directoryChange (userId, tbl, rowId, op) values ('*', 'model', old.id, 'd');
end;

-- An organization, its customer and its member rows are seen by every member.

create trigger organization_updated after update on organization begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'organization', new.id, 'u' from member where organizationId = new.id;
end;
-- Before, because the members who must hear of it go with it.
create trigger organization_deleted before delete on organization begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'organization', old.id, 'd' from member where organizationId = old.id;
  insert into directoryChange (userId, tbl, rowId, op)
    select viewer.userId, 'organizationCustomer', customer.id, 'd'
      from member viewer join organizationCustomer customer on customer.organizationId = viewer.organizationId
      where viewer.organizationId = old.id;
  insert into directoryChange (userId, tbl, rowId, op)
    select viewer.userId, 'member', seen.id, 'd'
      from member viewer join member seen on seen.organizationId = viewer.organizationId
      where viewer.organizationId = old.id;
end;

create trigger organizationCustomer_inserted after insert on organizationCustomer begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'organizationCustomer', new.id, 'i' from member where organizationId = new.organizationId;
end;
create trigger organizationCustomer_updated after update on organizationCustomer begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'organizationCustomer', old.id, 'd' from member
      where organizationId = old.organizationId and (new.organizationId <> old.organizationId or new.id <> old.id);
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'organizationCustomer', new.id, 'u' from member where organizationId = new.organizationId;
end;
create trigger organizationCustomer_deleted after delete on organizationCustomer begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'organizationCustomer', old.id, 'd' from member where organizationId = old.organizationId;
end;

create trigger member_inserted after insert on member begin
  -- everybody sees the new member
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'member', new.id, 'i' from member where organizationId = new.organizationId;
  -- the new member sees everything
  insert into directoryChange (userId, tbl, rowId, op)
    values (new.userId, 'organization', new.organizationId, 'i');
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, 'organizationCustomer', id, 'i' from organizationCustomer where organizationId = new.organizationId;
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, 'member', id, 'i' from member where organizationId = new.organizationId and id <> new.id;
end;
create trigger member_updated after update on member
  when new.id = old.id and new.userId = old.userId and new.organizationId = old.organizationId begin
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'member', new.id, 'u' from member where organizationId = new.organizationId;
end;
-- A membership handed to another user or organization: the old one left, the new one joined.
create trigger member_moved after update on member
  when new.id <> old.id or new.userId <> old.userId or new.organizationId <> old.organizationId begin
  -- whoever is left no longer sees the member
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'member', old.id, 'd' from member where organizationId = old.organizationId;
  -- the one who left sees nothing any more
  insert into directoryChange (userId, tbl, rowId, op)
    values (old.userId, 'member', old.id, 'd'), (old.userId, 'organization', old.organizationId, 'd');
  insert into directoryChange (userId, tbl, rowId, op)
    select old.userId, 'organizationCustomer', id, 'd' from organizationCustomer where organizationId = old.organizationId;
  insert into directoryChange (userId, tbl, rowId, op)
    select old.userId, 'member', id, 'd' from member where organizationId = old.organizationId;
  -- everybody sees the new member
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'member', new.id, 'i' from member where organizationId = new.organizationId;
  -- the new member sees everything
  insert into directoryChange (userId, tbl, rowId, op)
    values (new.userId, 'organization', new.organizationId, 'i');
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, 'organizationCustomer', id, 'i' from organizationCustomer where organizationId = new.organizationId;
  insert into directoryChange (userId, tbl, rowId, op)
    select new.userId, 'member', id, 'i' from member where organizationId = new.organizationId and id <> new.id;
end;
create trigger member_deleted after delete on member begin
  -- whoever is left no longer sees the member
  insert into directoryChange (userId, tbl, rowId, op)
    select userId, 'member', old.id, 'd' from member where organizationId = old.organizationId;
  -- the one who left sees nothing any more
  insert into directoryChange (userId, tbl, rowId, op)
    values (old.userId, 'member', old.id, 'd'), (old.userId, 'organization', old.organizationId, 'd');
  insert into directoryChange (userId, tbl, rowId, op)
    select old.userId, 'organizationCustomer', id, 'd' from organizationCustomer where organizationId = old.organizationId;
  insert into directoryChange (userId, tbl, rowId, op)
    select old.userId, 'member', id, 'd' from member where organizationId = old.organizationId;
end;

-- Size: see 0005. These two are the directory's tables that people write text into.

create trigger user_size_inserted before insert on user
  when length(cast(new.name || coalesce(new.image, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger user_size_updated before update on user
  when length(cast(new.name || coalesce(new.image, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;

create trigger organization_size_inserted before insert on organization
  when length(cast(new.name || coalesce(new.logo, '') || coalesce(new.metadata, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
create trigger organization_size_updated before update on organization
  when length(cast(new.name || coalesce(new.logo, '') || coalesce(new.metadata, '') as blob)) > 1900000 begin
  select raise(abort, 'row_too_large');
end;
