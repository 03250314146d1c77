/** Tests and cuts of a text. Pure; used by the page and the server. */

/** Matches a character that is shown: neither white space nor a control, format or filler character. U+2800 is a Braille cell without dots. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

/** True for a text without a visible character. */
export const isBlank = (text: string): boolean => !visible.test(text)

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

/** Markdown without its marks and the tags that are drawn, which approximates the rendered text. A single tilde is no mark. */
export const withoutMarks = (markdown: string): string =>
  markdown
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(drawnTags, '')
    .replace(/[*`#|]+|~~+/g, '')

/** The names in `web/ui/streaming-markdown/answer-syntax.ts`. */
export const drawnTags = /<\/?(?:sub|sup|kbd|mark|u)\s*>/gi
