-- Editors that a queued message is open in, as a JSON list of {id, until}: as long as one of them has not lapsed, it is not sent. Null, as in
-- every existing row: none.
alter table queuedMessage add column editors text;
