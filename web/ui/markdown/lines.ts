/**
 * What one line of Markdown can begin, by the block rules of CommonMark 0.31 (sections 4 and 5) and GFM.
 * Only top-level starts are recognised (at most three columns of indentation); what a line means in its
 * context is decided in block-modes.ts.
 */

const tabStop = 4

export const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)

/** Columns of leading white space, tabs counted to their stops. */
export const indentOf = (line: string): number => {
  let column = 0
  for (const char of line) {
    if (char === ' ') column += 1
    else if (char === '\t') column += tabStop - (column % tabStop)
    else break
  }
  return column
}

export type Fence = { readonly char: string; readonly length: number; readonly indent: number; readonly info: string }

/** An opening code fence. The info string of a backtick fence holds no backtick. */
export const fenceAt = (line: string): Fence | null => {
  const match = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line)
  if (!match) return null
  const [, spaces = '', run = '', info = ''] = match
  return { char: run.charAt(0), length: run.length, indent: spaces.length, info: info.trim() }
}

export const closesFence = (line: string, fence: Pick<Fence, 'char' | 'length'>): boolean => {
  const match = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)
  const run = match?.[1] ?? ''
  return run.charAt(0) === fence.char && run.length >= fence.length
}

export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)

export const isQuote = (line: string): boolean => /^ {0,3}>/.test(line)

export const isRule = (line: string): boolean => /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line)

/** Would underline a paragraph; after anything else it is text or a rule. */
export const isUnderline = (line: string): boolean => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line)

/** Could be the row between a table's head and body. */
export const isDelimiterRow = (line: string): boolean => /^ {0,3}[-:|][-:| \t]*$/.test(line) && /[|:]/.test(line)

export type Marker = {
  /** `-`, `*`, `+`, or the character after a number: items with the same one belong to one list. */
  readonly kind: string
  /** The column where the item's content begins, and which later lines must reach to belong to it. */
  readonly content: number
  readonly empty: boolean
  /** Whether it may begin a list in the middle of a paragraph. */
  readonly interrupts: boolean
  /** The content itself begins with indented code. */
  readonly code: boolean
  /** The content itself begins with a list or a quote. */
  readonly nested: boolean
}

export const markerAt = (line: string): Marker | null => {
  const match = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:([ \t]+)(.*))?$/.exec(line)
  if (!match) return null
  const [, spaces = '', sign = '', digits, gap = '', text = ''] = match
  const empty = text === ''
  const end = spaces.length + sign.length
  const gapColumns = indentOf(' '.repeat(end) + gap) - end
  const code = !empty && gapColumns > tabStop
  return {
    kind: sign.charAt(sign.length - 1),
    content: end + (empty || code ? 1 : gapColumns),
    empty,
    interrupts: !empty && (digits === undefined || Number(digits) === 1),
    code,
    nested: !code && /^(?:>|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$))/.test(text),
  }
}

/** `swallows` runs on over blank lines until its own end; `maybe` is an HTML block or just text, either way over at a blank line. */
export type Html = 'swallows' | 'closed' | 'maybe'

export const htmlAt = (line: string): Html | null => {
  const match = /^ {0,3}<([A-Za-z][A-Za-z0-9-]*|[!?/])/.exec(line)
  if (!match) return null
  const name = (match[1] ?? '').toLowerCase()
  if (/^ {0,3}<!--(?!-?>).*?-->/.test(line)) return 'closed'
  if (name === '!' || name === '?' || ['script', 'pre', 'style', 'textarea'].includes(name)) return 'swallows'
  return 'maybe'
}

/** Surely a line of plain text once list markers are taken off: it can neither end a paragraph nor begin another block. */
export const isWordy = (line: string): boolean => {
  const text = line.replace(/^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})*[ \t]*(?:\[[ xX]\] +)?/, '')
  return /^(?:[\p{L}"'(]|\d+(?![.)\d])|[*_]{1,2}[\p{L}\d])/u.test(text)
}
