/** `z_query`: the live queries of every group, and removed ones until they are pruned. The version `got` identifies a row. */
import type { BoundHistory } from './bounds.ts'
import type { Sql, Version } from './types.ts'

export type QueryRow = {
  got: number
  hash: string
  removedAt: number | null
  name: string
  args: string
  ast: string
  bounds: string
}

const columns = 'got, hash, gone removedAt, name, args, ast, bounds'
const live = 'gone is null'
/** Spelled as in the index, or SQLite does not use the index. */
const removed = 'gone is not null'

export class QueryTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The group's live queries. */
  all(gid: string): readonly QueryRow[] {
    return this.#sql.all(`select ${columns} from z_query where ${live} and gid = ? order by got`, gid)
  }

  /** The version at which the group's last removed query was removed; 0 without one. */
  newestRemovalOf(gid: string): Version {
    return this.#version(`select max(gone) version from z_query where ${removed} and gid = ?`, gid)
  }

  /** Queries that were live at `since` and have been removed. */
  removedSince(gid: string, since: Version): readonly QueryRow[] {
    return this.#sql.all(
      `select ${columns} from z_query where ${removed} and gid = ? and gone > ? and got <= ? order by got`,
      ...[gid, since, since],
    )
  }

  removedCount(): number {
    return this.#sql.all<{ n: number }>(`select count(*) n from z_query where ${removed}`)[0]?.n ?? 0
  }

  removalBefore(kept: number): Version {
    return this.#version(`select gone version from z_query where ${removed} order by gone desc limit 1 offset ?`, kept)
  }

  insert(gid: string, { got, hash, name, args, ast, bounds }: QueryRow): void {
    this.#sql.run(
      'insert into z_query (got, gid, hash, gone, name, args, ast, bounds) values (?, ?, ?, null, ?, ?, ?, ?)',
      ...[got, gid, hash, name, args, ast, bounds],
    )
  }

  setRemovedAt(got: Version, version: Version): void {
    this.#sql.run('update z_query set gone = ? where got = ?', version, got)
  }

  setBounds(got: Version, bounds: BoundHistory): void {
    this.#sql.run('update z_query set bounds = ? where got = ?', JSON.stringify(bounds), got)
  }

  drop(gid: string): void {
    for (const which of [live, removed]) this.#sql.run(`delete from z_query where ${which} and gid = ?`, gid)
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

export function createQueryTable(sql: Sql): void {
  const statements = [
    // `gone`: when the query was removed. `got` is the rowid, because wide rows in a table without rowids use overflow pages.
    `create table if not exists z_query (
       got integer primary key, gid text, hash text, gone integer, name text, args text, ast text, bounds text
     )`,
    `create index if not exists z_query_live on z_query (gid) where ${live}`,
    `create index if not exists z_query_gone on z_query (gone) where ${removed}`,
    `create index if not exists z_query_gone_of on z_query (gid, gone) where ${removed}`,
  ]
  for (const statement of statements) sql.run(statement)
}
