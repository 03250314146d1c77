/**
 * The rules for formulas: `$$…$$` and `\[…\]` as blocks, `$$…$$`, `\(…\)`, `\[…\]` and `$…$` inline. A dollar is usually money, and
 * brackets may be escaped for no reason, so each pair has rules for its content and surroundings. Used by the splitter, the parser and the
 * rendering of an unfinished end.
 */

export type Opener = '$' | '$$' | '\\(' | '\\['

/** Chosen: ten times a formula in a book. A longer one is text inline and is not rendered as a block. */
export const maxFormulaChars = 4000

/** A line that opens a block formula. It continues over blank lines until its end or the end of its container. */
export const mathFenceAt = (line: string): '$$' | '\\[' | null => {
  const match = /^ {0,3}(\$\$|\\\[)[ \t]*$/.exec(line)
  return match ? (match[1] as '$$' | '\\[') : null
}

/** True if the text contains an unclosed `$$`. In its paragraph, a line of two dollars closes the formula and starts no block. */
export const leavesDollarsOpen = (text: string): boolean => (text.match(/\$\$/g)?.length ?? 0) % 2 === 1

/** The index of the first closing mark, -1 if there is none. A backslash escapes the next character. */
export const endOfMath = (text: string, opener: '$$' | '\\[', from = 0): number => {
  for (let at = from; at < text.length - 1; at += 1) {
    const isBackslash = text[at] === '\\'
    if (opener === '$$' ? text.startsWith('$$', at) : isBackslash && text[at + 1] === ']') return at
    if (isBackslash) at += 1
  }
  return -1
}

/** True if the text between an opener and its end, followed by `after`, is a formula. */
export const isFormula = (opener: Opener, value: string, after: string): boolean => {
  const text = value.trim()
  // Adjacent escaped marks, as in \(\), contain nothing.
  if (/^\\*$/.test(text)) return false
  switch (opener) {
    case '\\(':
      return true
    case '\\[':
      return isSpaced(value) ? !/^x$/i.test(text) : after !== '(' && /[\\^_=+<>{}|]/.test(text)
    case '$$':
      return !(isSpacedAnywhere(value) && isProse(text))
    case '$':
      return !isSpacedAnywhere(value) && !isMoney(text) && !/\d/.test(after) && (text.length <= 2 || !/[A-Za-z]/.test(after))
  }
}

const isSpaced = (value: string): boolean => /^\s/.test(value) && /\s$/.test(value)
const isSpacedAnywhere = (value: string): boolean => /^\s|\s$/.test(value)
/** `$$ or $$` is a price range of two restaurants. */
const isProse = (text: string): boolean => /^[–-]$/.test(text) || (/^[\p{L}\s,.–-]+$/u.test(text) && /\p{L}{2}/u.test(text))
/** An amount followed by words: `$5 and then 10$`. */
const isMoney = (text: string): boolean => /^\d[\d.,]*[KMB]?\s+\p{L}{2,}/iu.test(text)
