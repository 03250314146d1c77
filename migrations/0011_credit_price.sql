-- A turn costs what it used at the price of a credit (worker/contract/models/quote.ts). It reserves `generation.credits` and is settled down.

-- The quote of the turn. Null: the turn costs what it reserved, as one that the version before opens.
alter table generation add column minimumCredits integer;
alter table generation add column expectedCredits integer;

-- The most credits of an answer in this thread. Null: twice the credits that a turn with tools is expected to cost.
alter table thread add column turnCredits integer;

-- The credits that a failed turn of a guest would have cost. The network still pays them; the rest of the reservation is released. Null: all of it
-- is paid.
alter table creditLedger add column unpaidCredits integer;

drop trigger creditLedger_guest_released;
-- Settling and releasing have negative credits, or 0. The release of a free failed turn leaves what the turn would have cost, because otherwise
-- a network could get any number of free failures through new guests.
create trigger creditLedger_guest_released after insert on creditLedger
  when new.kind <> 'reserve' and new.credits <> 0 and (new.unpaid = 0 or new.unpaidCredits is not null) begin
  update guestUse set credits = credits + new.credits + iif(new.unpaid = 0, 0, new.unpaidCredits)
    where (day, network) in (
      select day, network from guestReservation where generationId = new.generationId
      union all select day, '' from guestReservation where generationId = new.generationId
    );
end;
