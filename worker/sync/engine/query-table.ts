/**
 * `z_query`: every query that a group has, and those that it had until they are pruned. A row is found by the version at which it came, which no
 * other has. Nothing here reads more rows than it answers with: to have kept or closed many queries must not cost a wake anything.
 */
import { type EdgeHistory, movedAt } from './edges.ts'
import type { Sql, Version } from './types.ts'

export type QueryRow = {
  got: number
  hash: string
  gone: number | null
  pin: string | null
  name: string
  args: string
  ast: string
  edges: string
}

const columns = 'got, hash, gone, pin, name, args, ast, edges'
const alive = 'gone is null'
/** As the planner has to read it to use the index of those that are gone. */
const gone = 'gone is not null'

export class QueryTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The live ones of a group. */
  all(gid: string): readonly (QueryRow & { reach: string })[] {
    return this.#sql.all(`select reach, ${columns} from z_query where ${alive} and gid = ? order by got`, gid)
  }

  ofReach(gid: string, reach: string): readonly QueryRow[] {
    return this.#sql.all(`select ${columns} from z_query where ${alive} and gid = ? and reach = ?`, gid, reach)
  }

  ofPin(gid: string, reach: string, pin: string): readonly QueryRow[] {
    return this.#sql.all(`select ${columns} from z_query where ${alive} and gid = ? and reach = ? and pin = ?`, gid, reach, pin)
  }

  /** Stored by an earlier release, which knew of a query what it is and no more. */
  unscoped(gid: string): readonly Pick<QueryRow, 'got' | 'ast' | 'edges'>[] {
    return this.#sql.all(`select got, ast, edges from z_query where ${alive} and gid = ? and reach is null`, gid)
  }

  setScope(got: Version, { reach, pin, moved }: { reach: string; pin: string | null; moved: Version | null }): void {
    this.#sql.run('update z_query set reach = ?, pin = ?, moved = ? where got = ?', reach, pin, moved, got)
  }

  /** Each once, from one to the next: `distinct` would read every query. */
  reaches(gid: string): readonly string[] {
    const next = `select min(reach) from z_query where ${alive} and gid = ?1`
    const rows = this.#sql.all<{ reach: string }>(
      `with recursive known (reach) as (
         select (${next}) union all select (${next} and z_query.reach > known.reach) from known where known.reach is not null
       )
       select reach from known where reach is not null`,
      gid,
    )
    return rows.map(({ reach }) => reach)
  }

  /** When the last query of anybody came. */
  newestGot(): Version {
    return this.#version('select max(got) version from z_query')
  }

  /** When the last of the group's live queries came. Reads their index. */
  newestGotOf(gid: string): Version {
    return this.#version(`select max(got) version from z_query where ${alive} and gid = ?`, gid)
  }

  /** When the last edge of the group's live queries moved. */
  newestMovedOf(gid: string): Version {
    return this.#version(`select max(moved) version from z_query where ${alive} and moved is not null and gid = ?`, gid)
  }

  /** When the last of the group's queries went. */
  newestGoneOf(gid: string): Version {
    return this.#version(`select max(gone) version from z_query where ${gone} and gid = ?`, gid)
  }

  /** Of those that were alive at `since`, the ones that are no more. */
  goneSince(gid: string, since: Version): readonly QueryRow[] {
    return this.#sql.all(
      `select ${columns} from z_query where ${gone} and gid = ? and gone > ? and got <= ? order by got`,
      ...[gid, since, since],
    )
  }

  goneCount(): number {
    return this.#sql.all<{ n: number }>(`select count(*) n from z_query where ${gone}`)[0]?.n ?? 0
  }

  goneBefore(newer: number): Version {
    return this.#version(`select gone version from z_query where ${gone} order by gone desc limit 1 offset ?`, newer)
  }

  insert(gid: string, { got, hash, pin, name, args, ast, edges }: QueryRow, reach: string): void {
    this.#sql.run(
      'insert into z_query (got, gid, hash, gone, reach, pin, moved, name, args, ast, edges) values (?, ?, ?, null, ?, ?, null, ?, ?, ?, ?)',
      ...[got, gid, hash, reach, pin, name, args, ast, edges],
    )
  }

  setGone(got: Version, version: Version): void {
    this.#sql.run('update z_query set gone = ? where got = ?', version, got)
  }

  setEdges(got: Version, edges: EdgeHistory): void {
    this.#sql.run('update z_query set edges = ?, moved = ? where got = ?', JSON.stringify(edges), movedAt(edges), got)
  }

  drop(gid: string): void {
    for (const which of [alive, gone]) this.#sql.run(`delete from z_query where ${which} and gid = ?`, gid)
  }

  prune(floor: Version): void {
    this.#sql.run('delete from z_query where gone <= ?', floor)
  }

  clear(): void {
    this.#sql.run('delete from z_query')
  }

  #version(text: string, ...binds: (string | number)[]): Version {
    return this.#sql.all<{ version: Version | null }>(text, ...binds)[0]?.version ?? 0
  }
}

const statements = [
  // `got` is the rowid: wide rows in a table without rowids spill, and every wake asks for the last. `moved`: when its edge last did, null before.
  `create table if not exists z_query (
     got integer primary key, gid text, hash text, gone integer, reach text, pin text, moved integer,
     name text, args text, ast text, edges text
   )`,
  `create index if not exists z_query_alive on z_query (gid, reach, pin) where ${alive}`,
  `create index if not exists z_query_moved on z_query (gid, moved) where ${alive} and moved is not null`,
  // For the newest of all and of a group.
  `create index if not exists z_query_went on z_query (gone) where ${gone}`,
  `create index if not exists z_query_went_of on z_query (gid, gone) where ${gone}`,
]

/** Earlier releases make it when they wake, on whatever table is there: nothing else says that somebody went back to one of them, and on again. */
const earlierIndex = 'z_query_gone'

/** Answers whether an earlier release was here last: where it has moved edges, what this one says of a query is no longer so. */
export function createQueryTable(sql: Sql): boolean {
  const known = sql.all<{ name: string }>("select name from pragma_table_info('z_query')").map(({ name }) => name)
  const isOtherTable = known.length > 0 && !known.includes('reach')
  const isEarlier = isOtherTable || sql.all('select 1 found from pragma_index_info(?)', earlierIndex).length > 0
  if (isEarlier) sql.run(`drop index if exists ${earlierIndex}`)
  if (isOtherTable) sql.run('alter table z_query rename to z_query_before')
  for (const statement of statements) sql.run(statement)
  if (isOtherTable) {
    const common = 'got, gid, hash, gone, name, args, ast, edges'
    sql.run(`insert into z_query (${common}) select ${common} from z_query_before`)
    sql.run('drop table z_query_before')
  } else if (isEarlier) sql.run(`update z_query set reach = null where ${alive}`)
  return isEarlier
}
