-- One turn at a time, and a thread that waits for nothing else. Whoever writes about a turn may not know yet what became of the last one.

-- Two answers at once: the second would take the thread from the first, which then had nobody to end for. The writer reads and decides again.
create trigger generation_alone before insert on generation
  when new.status = 'open' and exists (select 1 from generation where threadId = new.threadId and status = 'open') begin
  select raise(abort, 'thread_busy');
end;

-- A stop that comes after the ending would leave the thread stopping for ever: nobody is left to make it ready. So it is ready at once.
create trigger thread_stopping after update of status on thread
  when new.status = 'stopping' and not exists (select 1 from generation where id = new.streamId and status = 'open') begin
  update thread set status = 'ready', streamId = null where id = new.id;
end;

-- Threads in that state, should there be any, become ready now; the feed tells their owners.
update thread set status = 'ready', streamId = null
  where status = 'stopping' and not exists (select 1 from generation where id = thread.streamId and status = 'open');
