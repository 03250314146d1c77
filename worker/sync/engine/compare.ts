/**
 * SQLite's order of column values in JavaScript: null, numbers, then text by UTF-8 bytes. The client has the same order, so the server's
 * window equals the client's.
 */
import type { SqlValue } from './types.ts'

export function compareValues(a: SqlValue, b: SqlValue): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return typeof a === 'number' ? -1 : 1
}

/** UTF-16 order differs from byte order only where a surrogate is compared with another unit: its code point is above all single units. */
function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}
