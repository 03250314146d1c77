// The database as a test reads it, without the code under test: its rows by table in wire form, and a history of every mutation's effect,
// written by the test's own triggers.
import { objectTables, schema, type TableName } from '../../../worker/contract/schema.ts'
import type { Row } from '../../../worker/sync/engine/types.ts'
import { MemoryD1 } from '../../support/node-object/memory-d1.ts'

type Column = { readonly type: 'string' | 'number' | 'boolean' | 'json' }

/** A mutation writes its own name, so that its effect can be found. */
const historySql = `
create table history (tbl text not null, mark text not null);
create table refusals (clientGroupID text not null, clientID text not null, mutationID integer not null,
  primary key (clientGroupID, clientID, mutationID)) without rowid;
-- The threads that the user owned when a client's progress was written, and an empty id.
create table owned (clientID text not null, mutationID integer not null, threadId text not null);
create trigger owned_at_insert after insert on clientProgress begin
  insert into owned select new.clientID, new.lastMutationID, '' union all
    select new.clientID, new.lastMutationID, id from thread where userId = new.userId;
end;
create trigger owned_at_update after update of lastMutationID on clientProgress begin
  insert into owned select new.clientID, new.lastMutationID, '' union all
    select new.clientID, new.lastMutationID, id from thread where userId = new.userId;
end;
create trigger history_setting after update of nickname on setting begin
  insert into history values ('setting', new.nickname);
end;
-- The end of a turn names the title too, and leaves it as it is.
create trigger history_thread after update of title on thread when new.title like 'mark:%' and new.status is old.status begin
  insert into history values ('thread', new.title);
end;
create trigger history_message after insert on message begin
  insert into history values ('message', new.id);
end;
create trigger history_queued after insert on queuedMessage begin
  insert into history values ('queuedMessage', new.id);
end;
create trigger history_refusal after insert on mutationResult begin
  insert or ignore into refusals values (new.clientGroupID, new.clientID, new.mutationID);
end;`

export function newRecord(): MemoryD1 {
  const d1 = new MemoryD1()
  d1.database.exec(historySql)
  // A few models are enough; every page receives all of them.
  d1.database.exec("delete from model where id not in ('kimi-k2', 'gpt-4o-mini', 'claude-4.6-sonnet'); delete from directoryChange")
  return d1
}

export function addUser(d1: MemoryD1, userId: string): void {
  d1.all('insert into user (id, name, email, createdAt, updatedAt) values (?, ?, ?, 1, 1)', userId, userId, `${userId}@example.test`)
  d1.all("insert into setting (id, userId, mode, theme, modelId) values (?1, ?1, 'dark', 'default', 'kimi-k2')", userId)
  d1.all('insert into usage (id, userId, credits, search, research, day) values (?1, ?1, 0, 0, 0, 0)', userId)
}

export function addSession(d1: MemoryD1, userId: string, sessionId: string): void {
  const sql = 'insert into session (id, expiresAt, token, createdAt, updatedAt, userId) values (?1, 9e15, ?1, 1, 1, ?2)'
  d1.all(sql, sessionId, userId)
}

/** A page of an import has 256 KB: 200 messages with this text. */
export const pagedText = 'x'.repeat(1254)

/** A long history in one thread. */
export function addMessages(d1: MemoryD1, userId: string, count: number): void {
  if (count === 0) return
  d1.all("insert into thread (id, userId, title, createdAt, updatedAt) values ('long-thread', ?, 'Long', 1, 1)", userId)
  d1.all(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
     insert into message (id, threadId, userId, message, createdAt)
     select printf('long-%04d', i), 'long-thread', ?1, json_object('id', i, 'role', 'user', 'parts', json_array(json_object('type', 'text', 'text', ?3))), i from n`,
    userId,
    count,
    pagedText,
  )
  d1.database.exec('delete from contentChange; delete from history')
}

/** All rows of all users. */
export function readTruth(d1: MemoryD1): { readonly [table: string]: readonly Row[] } {
  const tables = (Object.keys(schema.tables) as TableName[]).filter((table) => !objectTables.includes(table))
  return Object.fromEntries(tables.map((table) => [table, d1.all<Row>(`select * from "${table}"`).map((row) => wireRow(table, row))]))
}

function wireRow(table: TableName, stored: Row): Row {
  const columns = Object.entries<Column>(schema.tables[table].columns)
  return Object.fromEntries(columns.map(([name, { type }]) => [name, wireValue(type, stored[name] ?? null)]))
}

function wireValue(type: Column['type'], value: Row[string]): Row[string] {
  if (value === null) return null
  if (type === 'boolean') return value !== 0
  return type === 'json' ? (JSON.parse(String(value)) as Row[string]) : value
}
