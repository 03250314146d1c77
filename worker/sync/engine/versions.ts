/**
 * The object-wide version and its floor. The version never regresses (SPEC E8): it is reloaded as the largest of everything
 * that was ever stored with one, so whoever takes a version either stores it or persists it here.
 */
import type { Sql, Version } from './types.ts'

export class Versions {
  readonly #sql: Sql
  #current: Version
  #floor: Version

  constructor(sql: Sql) {
    this.#sql = sql
    this.#floor = readMeta(sql, 'floor')
    const [stored] = sql.all<{ log: number | null; got: number | null; gone: number | null }>(
      `select (select max(v) from z_log) log, (select max(got) from z_query) got,
         (select max(gone) from z_query where gone is not null) gone`,
    )
    this.#current = Math.max(this.#floor, readMeta(sql, 'version'), stored?.log ?? 0, stored?.got ?? 0, stored?.gone ?? 0)
  }

  get current(): Version {
    return this.#current
  }

  get floor(): Version {
    return this.#floor
  }

  /** The next version; the caller stores it with what it versions. */
  take(): Version {
    this.#current += 1
    return this.#current
  }

  /** Makes the current version survive although no row carries it. */
  persist(): void {
    writeMeta(this.#sql, 'version', this.#current)
  }

  raiseFloor(floor: Version): void {
    this.#floor = floor
    this.#current = Math.max(this.#current, floor)
    writeMeta(this.#sql, 'floor', floor)
  }
}

export function createMeta(sql: Sql): void {
  sql.run('create table if not exists z_meta (k text primary key, n integer) without rowid')
}

function readMeta(sql: Sql, key: string): number {
  return sql.all<{ n: number }>('select n from z_meta where k = ?', key)[0]?.n ?? 0
}

function writeMeta(sql: Sql, key: string, n: number): void {
  sql.run('insert into z_meta (k, n) values (?, ?) on conflict (k) do update set n = excluded.n', key, n)
}
