-- Models receive a scaled copy of a large image. The copy is the file of the row; the original is a second object in R2.

-- Counts towards the owner's storage, like sizeBytes. 0 without an original.
alter table attachment add column originalBytes integer not null default 0;

-- As in 0006_account_guards.sql, with the originals.
drop trigger handover_room;
create trigger handover_room before insert on handover
  when not exists (select 1 from handover where guestId = new.guestId)
    and (
      exists (select 1 from contentUse where userId = new.accountId and (bytes > new.maxBytes or rows > new.maxRows))
      -- As for uploads (worker/db/file-storage-limit.ts): all files together may take twice the limit.
      or (select sum(sizeBytes + originalBytes) from attachment where userId = new.accountId) > 2 * new.maxFileBytes
      or (select sum(sizeBytes + originalBytes) from attachment
            where userId = new.accountId
              and (not exists (select 1 from attachmentUse where attachmentId = attachment.id)
                or exists (select 1 from attachmentUse where attachmentId = attachment.id and hiddenSince is null))
         ) > new.maxFileBytes
    ) begin
  select raise(abort, 'account_full');
end;
