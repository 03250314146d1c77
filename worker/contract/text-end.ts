/**
 * A text without the signs of this kind at its end; `kind` is asked of one sign at a time. No expression that ends in `+$`: that one begins
 * anew at every sign of a run which stands elsewhere, and of a long run costs the square.
 */
export function withoutEnd(text: string, kind: RegExp): string {
  let end = text.length
  while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** The beginning of a text, of at most so many units; a letter of two of them is not cut in half. */
export const cutAt = (text: string, chars: number): string => text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '')
