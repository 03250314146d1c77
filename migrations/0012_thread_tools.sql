-- The sources of tools that are switched off, as a JSON list of ids: 'web' or the id of a server. Null: those of the project, or none. Existing
-- threads and projects have all tools.
alter table thread add column offTools text;
alter table project add column offTools text;
