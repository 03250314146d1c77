/** Cuts rows into poke parts that neither side has trouble holding. */
import type { RowOp } from '../engine/types.ts'
import { maxPartChars, maxPartRows } from '../protocol/limits.ts'

/** No part is empty; a row larger than a part stands alone. */
export function splitRows(rows: readonly RowOp[]): readonly (readonly RowOp[])[] {
  if (rows.length === 0) return []
  const parts: RowOp[][] = []
  let part: RowOp[] = []
  let chars = 0
  for (const row of rows) {
    const rowChars = sizeOf(row)
    if (part.length > 0 && (part.length >= maxPartRows || chars + rowChars > maxPartChars)) {
      parts.push(part)
      part = []
      chars = 0
    }
    part.push(row)
    chars += rowChars
  }
  return [...parts, part]
}

/** A guess that costs no serialization: long texts decide, and they sit in strings and in json columns. */
function sizeOf(row: RowOp): number {
  return row.op === 'del' ? 100 : 100 + charsIn(row.value)
}

function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  let chars = 2
  for (const part of Object.values(value)) chars += charsIn(part) + 12
  return chars
}
