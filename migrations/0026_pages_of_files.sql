-- The pages of a PDF, counted at its upload (worker/lib/pdf-pages.ts). Null for other files, and for PDFs from before this column.
alter table attachment add column pages integer;

-- As in 0005_files.sql and 0018_project_files.sql, with the pages among the compared properties.
drop trigger message_files_guarded;
create trigger message_files_guarded before insert on message
  when exists (
    select 1
      from json_each(case when json_valid(new.message) then case json_extract(new.message, '$.role') when 'user' then new.message end end, '$.parts') part
      where case part.type when 'object' then json_extract(part.value, '$.url') end like '/api/files/%'
        and not exists (
          select 1 from attachment
            where id = substr(json_extract(part.value, '$.url'), 12) and userId = new.userId
              and storedAt is not null and removedAt is null
              and name = json_extract(part.value, '$.filename')
              and mediaType = json_extract(part.value, '$.mediaType')
              and sizeBytes = json_extract(part.value, '$.sizeBytes')
              and pages is json_extract(part.value, '$.pages')
        )
  ) begin
  select raise(abort, 'file_missing');
end;
drop trigger queuedMessage_files_guarded;
create trigger queuedMessage_files_guarded before insert on queuedMessage
  when exists (
    select 1
      from json_each(coalesce(new.files, '[]')) file
      where not exists (
        select 1 from attachment
          where id = json_extract(file.value, '$.id') and userId = new.userId and storedAt is not null and removedAt is null
            and name = json_extract(file.value, '$.name')
            and mediaType = json_extract(file.value, '$.mediaType')
            and sizeBytes = json_extract(file.value, '$.sizeBytes')
            and pages is json_extract(file.value, '$.pages')
      )
  ) begin
  select raise(abort, 'file_missing');
end;
drop trigger project_files_guarded;
create trigger project_files_guarded before update of files on project
  when exists (
    select 1
      from json_each(coalesce(new.files, '[]')) file
      where not exists (
        select 1 from attachment
          where id = json_extract(file.value, '$.id') and userId = new.userId and storedAt is not null and removedAt is null
            and name = json_extract(file.value, '$.name')
            and mediaType = json_extract(file.value, '$.mediaType')
            and sizeBytes = json_extract(file.value, '$.sizeBytes')
            and pages is json_extract(file.value, '$.pages')
      )
  ) begin
  select raise(abort, 'file_missing');
end;
