-- Daily credits of guests by wider networks, in addition to those of an IPv4 address or IPv6 /64 (0004): an IPv6 customer has up to 65,536 networks of
-- size /64, so one could use the credits of all guests. Sizes: worker/auth/networks.ts.

-- The wider networks that contain a network of guests, as keyed digests.
create table guestWideNetwork (
  network text not null,
  size    text not null,
  wide    text not null,
  primary key (network, size)
);
create index guestNetwork_network on guestNetwork (network);
create trigger guestNetwork_removed after delete on guestNetwork
  when not exists (select 1 from guestNetwork where network = old.network) begin
  delete from guestWideNetwork where network = old.network;
end;

-- The sums of guestUse by UTC day and wider network.
create table guestWideUse (
  day     integer not null,
  wide    text not null,
  size    text not null,
  credits integer not null,
  primary key (day, wide)
);
create trigger guestUse_widely_inserted after insert on guestUse when new.network <> '' and new.credits <> 0 begin
  insert into guestWideUse (day, wide, size, credits)
    select new.day, wide, size, new.credits from guestWideNetwork where network = new.network
    on conflict (day, wide) do update set credits = credits + excluded.credits;
end;
create trigger guestUse_widely_updated after update of credits on guestUse when new.network <> '' and new.credits <> old.credits begin
  insert into guestWideUse (day, wide, size, credits)
    select new.day, wide, size, new.credits - old.credits from guestWideNetwork where network = new.network
    on conflict (day, wide) do update set credits = credits + excluded.credits;
end;

-- worker/contract/limits.ts: guestWideCreditsPerDay. One guest has fewer credits than each limit, so an insert exceeds none.
create trigger guestWideUse_limit before update of credits on guestWideUse
  when new.credits > old.credits and new.credits > case new.size when 'site' then 400 when 'block' then 2000 else 5000 end begin
  select raise(abort, 'guest_limit_reached');
end;
