/**
 * What counts as a formula: `$$…$$` and `\[…\]` over lines of their own, `$$…$$`, `\(…\)`, `\[…\]` and `$…$` within a text. A dollar
 * is first of all money, and brackets may be escaped for no reason, so each pair has a rule of what may stand in and around it.
 * The splitter, the parser and the unfinished end all judge by these.
 */

export type Opener = '$' | '$$' | '\\(' | '\\['

/** A formula of a book is a tenth of it. Within a text nothing longer is one, and on lines of its own it is not drawn. */
export const maxFormulaChars = 4000

/** Without one of these nothing is a formula, and the parser is spared the syntax. */
export const mayHaveMath = (text: string): boolean => /\$[^$]*\$|\\[([]/.test(text)

/** A line that opens a formula which runs over blank lines, until its end or the end of what it stands in. */
export const mathFenceAt = (line: string): '$$' | '\\[' | null => {
  const match = /^ {0,3}(\$\$|\\\[)[ \t]*$/.exec(line)
  return match ? (match[1] as '$$' | '\\[') : null
}

/** In a paragraph with an open one, a line of two dollars closes it and begins nothing. */
export const hasOpenDollars = (text: string): boolean => (text.match(/\$\$/g)?.length ?? 0) % 2 === 1

/** Where the first closing mark stands, -1 for nowhere. A backslash takes the character after it along. */
export const endOfMath = (text: string, opener: '$$' | '\\[', from = 0): number => {
  for (let at = from; at < text.length - 1; at += 1) {
    const isBackslash = text[at] === '\\'
    if (opener === '$$' ? text.startsWith('$$', at) : isBackslash && text[at + 1] === ']') return at
    if (isBackslash) at += 1
  }
  return -1
}

export type FencedMath = { readonly value: string; readonly isClosed: boolean; readonly rest: string }

/** The formula that a text begins with on a line of its own, null when it does not. */
export const fencedMath = (source: string): FencedMath | null => {
  const lineEnd = source.indexOf('\n')
  const opener = mathFenceAt(lineEnd === -1 ? source : source.slice(0, lineEnd))
  if (!opener) return null
  const body = lineEnd === -1 ? '' : source.slice(lineEnd + 1)
  const end = endOfMath(body, opener)
  if (end === -1) return { value: body.trim(), isClosed: false, rest: '' }
  return { value: body.slice(0, end).trim(), isClosed: true, rest: body.slice(end + 2).trim() }
}

/** Whether what stands between an opener and its end, with the character after it, is a formula. */
export const isFormula = (opener: Opener, value: string, after: string): boolean => {
  const text = value.trim()
  // Escaped marks in a row, as in \(\), enclose nothing.
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
/** `$$ or $$` is how dear two restaurants are. */
const isProse = (text: string): boolean => /^[–-]$/.test(text) || (/^[\p{L}\s,.–-]+$/u.test(text) && /\p{L}{2}/u.test(text))
/** An amount, and then words: `$5 and then 10$`. */
const isMoney = (text: string): boolean => /^\d[\d.,]*[KMB]?\s+\p{L}{2,}/iu.test(text)
