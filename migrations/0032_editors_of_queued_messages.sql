-- A queued message is edited in the composer, which takes it out of the queue.
alter table queuedMessage drop column editors;
