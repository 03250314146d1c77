-- The feed of the content; its rules are those of 0002. A row is seen by its owner.

create trigger thread_inserted after insert on thread begin
  insert into contentChange (userId, tbl, rowId, op) values (new.userId, 'thread', new.id, 'i');
end;
create trigger thread_updated after update on thread begin
  insert into contentChange (userId, tbl, rowId, op)
    values (old.userId, 'thread', old.id, case when new.userId = old.userId and new.id = old.id then 'u' else 'd' end);
  insert into contentChange (userId, tbl, rowId, op)
    select new.userId, 'thread', new.id, 'i' where new.userId <> old.userId or new.id <> old.id;
end;
create trigger thread_deleted after delete on thread begin
  insert into contentChange (userId, tbl, rowId, op) values (old.userId, 'thread', old.id, 'd');
end;

create trigger message_inserted after insert on message begin
  insert into contentChange (userId, tbl, rowId, op) values (new.userId, 'message', new.id, 'i');
end;
create trigger message_updated after update on message begin
  insert into contentChange (userId, tbl, rowId, op)
    values (old.userId, 'message', old.id, case when new.userId = old.userId and new.id = old.id then 'u' else 'd' end);
  insert into contentChange (userId, tbl, rowId, op)
    select new.userId, 'message', new.id, 'i' where new.userId <> old.userId or new.id <> old.id;
end;
create trigger message_deleted after delete on message begin
  insert into contentChange (userId, tbl, rowId, op) values (old.userId, 'message', old.id, 'd');
end;

create trigger setting_inserted after insert on setting begin
  insert into contentChange (userId, tbl, rowId, op) values (new.userId, 'setting', new.id, 'i');
end;
create trigger setting_updated after update on setting begin
  insert into contentChange (userId, tbl, rowId, op)
    values (old.userId, 'setting', old.id, case when new.userId = old.userId and new.id = old.id then 'u' else 'd' end);
  insert into contentChange (userId, tbl, rowId, op)
    select new.userId, 'setting', new.id, 'i' where new.userId <> old.userId or new.id <> old.id;
end;
create trigger setting_deleted after delete on setting begin
  insert into contentChange (userId, tbl, rowId, op) values (old.userId, 'setting', old.id, 'd');
end;

create trigger usage_inserted after insert on usage begin
  insert into contentChange (userId, tbl, rowId, op) values (new.userId, 'usage', new.id, 'i');
end;
create trigger usage_updated after update on usage begin
  insert into contentChange (userId, tbl, rowId, op)
    values (old.userId, 'usage', old.id, case when new.userId = old.userId and new.id = old.id then 'u' else 'd' end);
  insert into contentChange (userId, tbl, rowId, op)
    select new.userId, 'usage', new.id, 'i' where new.userId <> old.userId or new.id <> old.id;
end;
create trigger usage_deleted after delete on usage begin
  insert into contentChange (userId, tbl, rowId, op) values (old.userId, 'usage', old.id, 'd');
end;
