-- Files that models make are stored like those that people attach: an answer shows them by their addresses, and a file goes when the last
-- message that shows it is gone. Answers of before hold their pictures themselves and name none of ours, so no existing row changes.

-- Whoever says it, a message shows files of its own person alone. That they are there is asked of people (message_files_guarded): an answer
-- must end, whatever addresses stand in it. Most messages name no file, and their parts are not looked at.
drop trigger message_files_used;
create trigger message_files_used after insert on message when instr(new.message, '"/api/files/') > 0 begin
  insert or ignore into attachmentUse (attachmentId, holder, holderId)
    select attachment.id, 'message', new.id
      from json_each(case when json_valid(new.message) then new.message end, '$.parts') part
        join attachment on attachment.id = substr(case part.type when 'object' then json_extract(part.value, '$.url') end, 12)
      where attachment.userId = new.userId
        and case part.type when 'object' then json_extract(part.value, '$.url') end like '/api/files/%';
end;
