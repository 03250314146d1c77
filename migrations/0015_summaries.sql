-- Content: summaries of the beginnings of long threads. A turn whose messages do not fit into its request writes one and sends it instead.

-- A row covers the path from the first message of the thread to the message `id`. Messages on a path do not change, so the row does not either.
-- Purging any of these messages also purges the last one, and with it the summary.
create table summary (
  id        text primary key not null references message (id) on delete cascade,
  userId    text not null,
  threadId  text not null,
  text      text not null,
  -- The estimated tokens of the covered messages.
  tokens    integer not null,
  createdAt integer not null
);
-- Summaries of a user by id, to build a replica page by page.
create index summary_user on summary (userId, id);

-- A summary is of a message of its owner. Linking a guest changes the owner of the message first.
create trigger summary_message_inserted before insert on summary
  when not exists (select 1 from message where id = new.id and threadId = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;
create trigger summary_message_updated before update of id, threadId, userId on summary
  when not exists (select 1 from message where id = new.id and threadId = new.threadId and userId = new.userId) begin
  select raise(abort, 'foreign_thread');
end;

-- Counted as messages are (0007). A summary is never resized.
create trigger summary_counted after insert on summary begin
  insert into contentUse (userId, bytes, rows) values (new.userId, octet_length(new.text), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger summary_moved after update of userId on summary when new.userId <> old.userId begin
  update contentUse set bytes = bytes - octet_length(old.text), rows = rows - 1 where userId = old.userId;
  insert into contentUse (userId, bytes, rows) values (new.userId, octet_length(new.text), 1)
    on conflict (userId) do update set bytes = bytes + excluded.bytes, rows = rows + 1;
end;
create trigger summary_uncounted after delete on summary begin
  update contentUse set bytes = bytes - octet_length(old.text), rows = rows - 1 where userId = old.userId;
end;
