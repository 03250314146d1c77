/**
 * The wire's cookie is the version as a string whose plain `<` is the version's `<`: base 36, preceded by one base 36
 * digit holding the number of digits less one. 0 is `00`, 35 is `0z`, 36 is `110`.
 * Zero's client compares cookies with `<` and drops the patch of a poke whose cookie did not grow.
 */
import type { Version } from './types.ts'

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
