/**
 * The object-wide version and its floor. The version never decreases (SPEC E8): it is reloaded as the largest stored one, so every taken
 * version must be stored with its change or here.
 */
import type { Sql, Version } from './types.ts'

export class Versions {
  readonly #sql: Sql
  #current: Version
  #floor: Version

  constructor(sql: Sql) {
    this.#sql = sql
    this.#floor = readMeta(sql, 'floor')
    const [stored] = sql.all<{ log: number | null; got: number | null; removed: number | null }>(
      `select (select max(v) from z_log) log, (select max(got) from z_query) got,
         (select max(gone) from z_query where gone is not null) removed`,
    )
    this.#current = Math.max(this.#floor, readMeta(sql, 'version'), stored?.log ?? 0, stored?.got ?? 0, stored?.removed ?? 0)
  }

  get current(): Version {
    return this.#current
  }

  get floor(): Version {
    return this.#floor
  }

  /** The next version. The caller stores it with its change. */
  take(): Version {
    this.#current += 1
    return this.#current
  }

  /** Stores the current version when no row has it. */
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

/**
 * The cookie is the version as a string that sorts like the version: base 36, after one base 36 digit with the number of digits less one. 0
 * is `00`, 35 is `0z`, 36 is `110`. Zero's client compares cookies with `<` and drops the patch of a poke whose cookie did not grow.
 */
const COOKIE = /^[0-9a-z](?:0|[1-9a-z][0-9a-z]*)$/

export function encodeCookie(version: Version): string {
  if (!Number.isSafeInteger(version) || version < 0) throw new RangeError(`a version is a non-negative safe integer, not ${version}`)
  const digits = version.toString(36)
  return (digits.length - 1).toString(36) + digits
}

/** `null` for anything `encodeCookie` does not produce. */
export function decodeCookie(cookie: string): Version | null {
  if (!COOKIE.test(cookie)) return null
  const version = Number.parseInt(cookie.slice(1), 36)
  return Number.isSafeInteger(version) && encodeCookie(version) === cookie ? version : null
}
