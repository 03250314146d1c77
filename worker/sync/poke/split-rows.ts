/** Gathers row ops, as JSON texts, into poke parts that neither side has trouble holding. */
import { maxPartChars, maxPartRows } from '../protocol/limits.ts'

/** No part is empty; a row larger than a part stands alone. Holds one part and the row that did not fit. */
export function* splitTexts(rows: Iterable<string>): Generator<readonly string[], undefined> {
  let part: string[] = []
  let chars = 0
  for (const row of rows) {
    if (part.length > 0 && (part.length >= maxPartRows || chars + row.length > maxPartChars)) {
      yield part
      part = []
      chars = 0
    }
    part.push(row)
    chars += row.length
  }
  if (part.length > 0) yield part
  return undefined
}
