-- What paying needs beside the customers of 0001. No browser sees any of it, so the feed does not hear of it.

-- Whoever speaks with the payment company about somebody holds their lease, so that what was read there first is written here first.
-- id is 'user:…' or 'organization:…'. A holder that dies is followed when its time is up; whatever it still writes names an old fence.
create table billingLease (
  id      text primary key not null,
  fence   integer not null,
  untilMs integer not null
);

-- The scheduled handler asks again about periods that should have ended by now. Text that is no JSON has no period.
create index userCustomer_period on userCustomer (
  case when json_valid(subscription) then json_extract(subscription, '$.currentPeriodEndMs') end
) where subscription is not null;
create index organizationCustomer_period on organizationCustomer (
  case when json_valid(subscription) then json_extract(subscription, '$.currentPeriodEndMs') end
) where subscription is not null;

-- Where a development without a payment company keeps the simulation of one: its objects, as JSON. Empty in production.
create table paymentObject (
  id        text primary key not null,
  kind      text not null,
  customer  text,
  body      text not null,
  createdAt integer not null
);
create index paymentObject_customer on paymentObject (kind, customer);
