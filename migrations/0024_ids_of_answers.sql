-- A turn and its answer have one id (0004). Clients choose the ids of messages and of turns, so a message of a user, of another thread or of a
-- running turn could take the id, and the ending could not store the answer (worker/user-sync/SPEC.md, A7).

-- Does not apply to ended turns, which linking copies after their answers.
create trigger generation_id_taken before insert on generation
  when new.status = 'open' and exists (select 1 from message where id = new.id) begin
  select raise(abort, 'id_taken');
end;
-- The batch that inserts the answer has ended the turn before.
create trigger message_id_taken before insert on message
  when exists (
    select 1 from generation
      where id = new.id and (status = 'open' or threadId <> new.threadId or new.message ->> '$.role' is not 'assistant')
  ) begin
  select raise(abort, 'id_taken');
end;
