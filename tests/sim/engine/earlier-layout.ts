/** The storage as an earlier release left it: an engine that is opened on it has to go on with it. */
import type { Sql } from '../../../worker/sync/engine/types.ts'

/** Queries in a table by group and hash that says nothing of what may concern them. */
export function toEarlierLayout(sql: Sql): void {
  const columns = 'gid, hash, got, gone, name, args, ast, edges'
  sql.transaction(() => {
    sql.run('alter table z_query rename to z_query_now')
    sql.run(
      `create table z_query (
         gid text, hash text, got integer, gone integer, name text, args text, ast text, edges text,
         primary key (gid, hash, got)
       ) without rowid`,
    )
    sql.run(`insert into z_query (${columns}) select ${columns} from z_query_now`)
    sql.run('drop table z_query_now')
    sql.run('create index z_query_gone on z_query (gone, gid)')
  })
}

/** The storage after somebody went back to an earlier release for a while: what it has added, and which edges it has moved, is not described. */
export function wasEarlier(sql: Sql): void {
  sql.run('update z_query set moved = null')
  sql.run('update z_query set reach = null, pin = null where got % 2 = 1')
  sql.run('create index if not exists z_query_gone on z_query (gone, gid)')
}
