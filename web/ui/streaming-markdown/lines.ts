/**
 * Block starts in one line of Markdown, by the rules of CommonMark 0.31 (sections 4 and 5) and GFM. Recognises only top-level starts (at
 * most three columns of indentation); block-modes.ts interprets them in context.
 */

import { mathFenceAt } from './math-rules.ts'

const tabStop = 4

export const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)

/** Columns of leading white space, with tab stops. */
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

/** An opening code fence. The info string of a backtick fence contains no backtick. */
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

/** The state of code inside a list item, judged by backtick fences alone. */
export type Code = 'none' | 'open' | 'unclear'

export const codeAfter = (code: Code, line: string): Code => {
  if (line.includes('~~~')) return 'unclear'
  if (code === 'unclear' || !line.includes('```')) return code
  if (code === 'none') return 'open'
  return /```[ \t]*$/.test(line) ? 'none' : 'unclear'
}

export const isHeading = (line: string): boolean => /^ {0,3}#{1,6}(?:[ \t]|$)/.test(line)

export const isQuote = (line: string): boolean => /^ {0,3}>/.test(line)

export const isRule = (line: string): boolean => /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(line)

/** Underlines a paragraph; elsewhere it is text or a rule. */
export const isUnderline = (line: string): boolean => /^ {0,3}(?:=+|-+)[ \t]*$/.test(line)

/** Possibly the delimiter row of a table. */
export const isDelimiterRow = (line: string): boolean => /^ {0,3}[-:|][-:| \t]*$/.test(line) && /[|:]/.test(line)

/** A footnote definition, a container like a list item whose content is indented by four columns. */
export const footnoteAt = (line: string): { readonly text: string } | null => {
  const match = /^ {0,3}\[\^[^\][\s]+\]:[ \t]*(.*)$/.exec(line)
  return match ? { text: match[1] ?? '' } : null
}

export const footnoteContentColumn = 4

/** A possible footnote definition in quotes and list items. */
export const nestedFootnote = /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*\[\^([^\][\s]+)\]:/

type Marker = {
  /** `-`, `*`, `+`, or the character after a number: adjacent items with the same one form one list. */
  readonly kind: string
  /** The column where the item's content starts. Later lines must reach it to belong to the item. */
  readonly contentColumn: number
  readonly empty: boolean
  /** True if it can start a list inside a paragraph. */
  readonly interrupts: boolean
  /** The content starts with indented code. */
  readonly code: boolean
  /** The content starts with a list or a quote. */
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
    contentColumn: end + (empty || code ? 1 : gapColumns),
    empty,
    interrupts: !empty && (digits === undefined || Number(digits) === 1),
    code,
    nested: !code && /^(?:>|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$))/.test(text),
  }
}

/** Certainly plain text after removing list markers: it can neither end a paragraph nor start another block. */
export const isPlainText = (line: string): boolean => {
  const text = line.replace(/^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})*[ \t]*(?:\[[ xX]\] +)?/, '')
  return /^(?:[\p{L}\p{Pi}\p{Extended_Pictographic}„"'(]|\d+(?![.)\d])|[*_]{1,2}[\p{L}\d])/u.test(text)
}

/** Contains a fence or a formula opener. In a container, a block that starts there may contain the next lines. */
export const mayStartOpaqueBlock = (line: string): boolean => /```|~~~|\$\$|\\\[/.test(line)

/** Starts a block that ends a paragraph, even where the line could be a lazy continuation. */
export const interrupts = (line: string): boolean => {
  if (isHeading(line) || fenceAt(line) !== null || mathFenceAt(line) !== null || footnoteAt(line) !== null) return true
  if (isQuote(line)) return !isQuotedBlock(line)
  const marker = markerAt(line)
  return marker?.interrupts === true && !marker.nested && !isDelimiterRow(line)
}

/** A quote whose content starts with a list or is not plain text. The parser reads it differently below a paragraph or indented code. */
const isQuotedBlock = (line: string): boolean => {
  const quoted = line.replace(/^[ \t>]*/, '')
  return markerAt(quoted) !== null || !isPlainText(quoted)
}

/** Possibly starts a block that contains the blank lines below it. */
export const mayOwnBlanks = (line: string): boolean => {
  const text = line.replace(/^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$))+/, '')
  return mathFenceAt(text) !== null
}

/** Possibly starts a block, inside a container or outside. */
export const mayOpenBlock = (line: string): boolean =>
  isHeading(line) ||
  isQuote(line) ||
  isRule(line) ||
  isUnderline(line) ||
  indentOf(line) >= 4 ||
  fenceAt(line) !== null ||
  mathFenceAt(line) !== null ||
  markerAt(line) !== null
