/** How many bytes a text takes as UTF-8, without making them: for a word, a loop costs a tenth of a call of the runtime's encoder. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // Two units that make one letter take four bytes; one alone is replaced by a letter of three.
    bytes += unit < 0x800 ? 1 : 2
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at++
  }
  return bytes
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** False for the NaN behind a text's end. */
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
