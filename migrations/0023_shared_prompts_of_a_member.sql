-- Directory: the prompts that one member shares with an organization, so that a member cannot fill its limit (0021).
-- worker/contract/limits.ts: maxSharedPromptsPerMember. A member who shares more keeps them.

create trigger sharedPrompt_member_limit before insert on sharedPrompt
  when not exists (select 1 from sharedPrompt where id = new.id)
    and (select count(*) from sharedPrompt where memberId = new.memberId) >= 20 begin
  select raise(abort, 'member_prompt_limit_reached');
end;
create trigger sharedPrompt_moved_member_limit before update of memberId on sharedPrompt
  when new.memberId <> old.memberId
    and (select count(*) from sharedPrompt where memberId = new.memberId) >= 20 begin
  select raise(abort, 'member_prompt_limit_reached');
end;
