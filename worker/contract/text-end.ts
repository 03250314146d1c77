/**
 * Removes the trailing characters that match `kind`. A regular expression that ends in `+$` would take quadratic time on long runs in the
 * middle of the text.
 */
export function withoutEnd(text: string, kind: RegExp): string {
  let end = text.length
  while (end > 0 && kind.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** The first `chars` UTF-16 units of a text, without splitting a surrogate pair. */
export const cutAt = (text: string, chars: number): string => text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '')
