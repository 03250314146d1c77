/**
 * The line state machine of the block splitter. `step` takes the open block before a line and returns the open block after it, and whether
 * a new top-level block, or the next item of a top-level list, certainly starts at the line.
 *
 * A split must never be wrong; a missing one only costs speed, because two blocks rendered together look the same. If the meaning of a line
 * depends on the inside of a container, the machine keeps both readings in one mode while they agree (a `list` that is `maybeClosed`)
 * and stops splitting where they differ (`rest`).
 */
import {
  type Code,
  closesFence,
  codeAfter,
  fenceAt,
  footnoteAt,
  footnoteContentColumn,
  indentOf,
  interrupts,
  isBlank,
  isDelimiterRow,
  isHeading,
  isPlainText,
  isQuote,
  isRule,
  isUnderline,
  markerAt,
  mayOpenBlock,
  mayOwnBlanks,
  mayStartOpaqueBlock,
} from './lines.ts'
import { endOfMath, leavesDollarsOpen, mathFenceAt } from './math-rules.ts'

export type Mode =
  /** No open block: the next line with text starts one. */
  | { readonly kind: 'closed' }
  /**
   * Open until a blank line or a block that can interrupt a paragraph. `hasOpenDollars`: it has an unclosed `$$`, which a line of two dollars
   * closes. `endsWithBareDollars`: the last line did so. Before a delimiter row, that line is a table header and closes nothing.
   */
  | { readonly kind: 'paragraph'; readonly isTable: boolean; readonly hasOpenDollars: boolean; readonly endsWithBareDollars: boolean }
  /** After `===` or `---` below a paragraph: probably the underline of a heading. `maybeQuote`: or text of the quote above. */
  | { readonly kind: 'underlined'; readonly hasOpenDollars: boolean; readonly maybeQuote: boolean }
  /** `containsOpaqueBlock`: code or a formula may be open in it. */
  | { readonly kind: 'quote'; readonly containsOpaqueBlock: boolean }
  | { readonly kind: 'fence'; readonly char: string; readonly length: number }
  /** A block formula. */
  | { readonly kind: 'math'; readonly opener: '$$' | '\\[' }
  | { readonly kind: 'indented' }
  | ListMode
  /** The remaining text is one block. */
  | { readonly kind: 'rest' }
  /** The whole text is one block. */
  | { readonly kind: 'whole' }

const footnoteMarker = '[^]'

export const isList = (mode: Mode): boolean => mode.kind === 'list' && mode.marker !== footnoteMarker

type ListMode = {
  readonly kind: 'list'
  readonly marker: string
  readonly contentColumn: number
  readonly isAfterBlank: boolean
  /** The item has no content yet; a blank line ends it. */
  readonly isItemEmpty: boolean
  /** The last line is certainly paragraph text, so an unindented line continues it. */
  readonly endsInText: boolean
  /** Code or a formula may be open in it, so `endsInText` is unknown from here. */
  readonly containsOpaqueBlock: boolean
  readonly code: Code
  /** The list may have ended, with a plain paragraph open instead. */
  readonly maybeClosed: boolean
  /** The list may have ended above the last item, so the items may belong to two lists. */
  readonly maybeTwo: boolean
  /** The blank lines below the item may belong to a formula. */
  readonly mayOwnBlanks: boolean
}

/** `starts`: the line certainly starts a top-level block, or another item of the list that is open at the top level. */
type Step = { readonly mode: Mode; readonly starts: 'block' | 'item' | null }

const closed: Mode = { kind: 'closed' }
const rest: Mode = { kind: 'rest' }
const whole: Mode = { kind: 'whole' }
const opaqueQuote: Mode = { kind: 'quote', containsOpaqueBlock: true }
const stay = (mode: Mode): Step => ({ mode, starts: null })
const begin = (mode: Mode): Step => ({ mode, starts: 'block' })

export const step = (mode: Mode, line: string): Step => {
  if (isBlank(line)) return stay(modeAfterBlank(mode))
  switch (mode.kind) {
    case 'closed':
      return begin(opened(line))
    case 'fence':
      return stay(closesFence(line, mode) ? closed : mode)
    case 'math':
      return stay(inMath(mode, line))
    case 'indented':
      return inIndented(mode, line)
    case 'paragraph':
      return inParagraph(mode, line)
    case 'underlined':
      return inUnderlined(mode, line)
    case 'quote':
      return inQuote(mode, line)
    case 'list':
      return inList(mode, line)
    case 'rest':
    case 'whole':
      return stay(mode)
  }
}

const modeAfterBlank = (mode: Mode): Mode => {
  switch (mode.kind) {
    case 'paragraph':
    case 'underlined':
    case 'quote':
      return closed
    case 'list':
      return { ...mode, isAfterBlank: true, endsInText: false, isItemEmpty: false, maybeClosed: mode.maybeClosed || mode.isItemEmpty }
    default:
      return mode
  }
}

/** The mode after the first line of a block. */
const opened = (line: string): Mode => {
  if (indentOf(line) >= 4) return { kind: 'indented' }
  if (isRule(line) || isHeading(line)) return closed
  const fence = fenceAt(line)
  if (fence) return { kind: 'fence', char: fence.char, length: fence.length }
  const marker = markerAt(line)
  if (marker) return itemOpened(line, null)
  const footnote = footnoteAt(line)
  if (footnote) return footnoteOpened(footnote.text)
  if (isQuote(line)) return { kind: 'quote', containsOpaqueBlock: mayStartOpaqueBlock(line) }
  const math = mathFenceAt(line)
  if (math) return { kind: 'math', opener: math }
  return paragraph(leavesDollarsOpen(line))
}

const paragraph = (hasOpenDollars: boolean): Mode => ({ kind: 'paragraph', isTable: false, hasOpenDollars, endsWithBareDollars: false })

const plainItem = {
  kind: 'list',
  isAfterBlank: false,
  isItemEmpty: false,
  containsOpaqueBlock: false,
  code: 'none',
  maybeClosed: false,
  maybeTwo: false,
  mayOwnBlanks: false,
} as const

/** The mode after the first line of an item. `before`: the mode before it, null for the first item. */
const itemOpened = (line: string, before: ListMode | null): Mode => {
  const marker = markerAt(line)
  if (!marker) return rest
  const containsOpaqueBlock = before?.containsOpaqueBlock === true || mayStartOpaqueBlock(line)
  return {
    ...plainItem,
    marker: marker.kind,
    contentColumn: marker.contentColumn,
    isItemEmpty: marker.empty,
    endsInText: !containsOpaqueBlock && !marker.code && isPlainText(line),
    containsOpaqueBlock,
    code: codeAfter('none', line),
    maybeTwo: before?.maybeClosed === true || before?.maybeTwo === true,
    mayOwnBlanks: mayOwnBlanks(line),
  }
}

/** A footnote is read like a list of one item. Its first line must be plain text or begin with a link, or the whole text is one block. */
const footnoteOpened = (line: string): Mode =>
  (isPlainText(line) || /^(?:\[[^\]\n]+\]\(|<https?:)/.test(line)) && !mayStartOpaqueBlock(line)
    ? { ...plainItem, marker: footnoteMarker, contentColumn: footnoteContentColumn, endsInText: true }
    : whole

/** Text after a formula is a block of its own. A fence or formula opener there is uncertain, because it does not start its line. */
const inMath = (mode: Extract<Mode, { kind: 'math' }>, line: string): Mode => {
  const end = endOfMath(line, mode.opener)
  if (end === -1) return mode
  const tail = line.slice(end + 2).trimStart()
  if (tail === '') return closed
  return mathFenceAt(tail) || fenceAt(tail) ? rest : opened(tail)
}

const inParagraph = (mode: Extract<Mode, { kind: 'paragraph' }>, line: string): Step => {
  const marker = markerAt(line)
  const next = { ...mode, hasOpenDollars: mode.hasOpenDollars !== leavesDollarsOpen(line), endsWithBareDollars: false }
  if (isDelimiterRow(line)) return stay(marker || mode.endsWithBareDollars ? rest : { ...next, isTable: true })
  if (isUnderline(line)) return stay(mode.isTable ? rest : { kind: 'underlined', hasOpenDollars: mode.hasOpenDollars, maybeQuote: false })
  if (isRule(line)) return begin(closed)
  if (mode.hasOpenDollars && mathFenceAt(line) === '$$') return stay(mode.isTable ? rest : { ...next, endsWithBareDollars: true })
  if (interrupts(line)) return begin(opened(line))
  // Table rows end where any block starts, paragraph text only where an interrupting block starts.
  if (mode.isTable && (marker || indentOf(line) >= 4)) return stay(rest)
  if (marker?.nested) return stay(rest)
  if (isQuote(line)) return stay(opaqueQuote)
  return stay(next)
}

const inIndented = (mode: Mode, line: string): Step => {
  if (indentOf(line) >= 4) return stay(mode)
  const marker = markerAt(line)
  const container = !isRule(line) && (marker !== null || isQuote(line))
  if (!container || interrupts(line)) return begin(opened(line))
  return stay(whole)
}

const inUnderlined = (mode: Extract<Mode, { kind: 'underlined' }>, line: string): Step => {
  if (isUnderline(line)) return stay(markerAt(line) ? rest : mode)
  if (isRule(line)) return begin(closed)
  if (mode.hasOpenDollars && mathFenceAt(line) === '$$') return stay(rest)
  if (mode.maybeQuote && isQuote(line)) return stay(opaqueQuote)
  if (interrupts(line)) return begin(opened(line))
  if (markerAt(line) || indentOf(line) >= 4 || isDelimiterRow(line)) return stay(rest)
  // If the underline was text, the two dollars above it are still open.
  if (mode.hasOpenDollars) return stay(rest)
  return stay(isQuote(line) ? opaqueQuote : paragraph(leavesDollarsOpen(line)))
}

const inQuote = (mode: Extract<Mode, { kind: 'quote' }>, line: string): Step => {
  const containsOpaqueBlock = mode.containsOpaqueBlock || mayStartOpaqueBlock(line)
  if (isQuote(line)) return stay({ ...mode, containsOpaqueBlock })
  if (mode.containsOpaqueBlock && mathFenceAt(line) === '$$') return stay(rest)
  if (isUnderline(line)) return stay(markerAt(line) ? rest : { kind: 'underlined', hasOpenDollars: true, maybeQuote: true })
  if (isRule(line)) return begin(closed)
  if (interrupts(line)) return begin(opened(line))
  if (markerAt(line) || indentOf(line) >= 4 || isDelimiterRow(line)) return stay(rest)
  return stay({ ...mode, containsOpaqueBlock })
}

const inList = (mode: ListMode, line: string): Step => {
  const next = nextInList(mode, line)
  // A footnote must be a block of its own, because the section below the text shows it.
  if (mode.marker === footnoteMarker && next.mode.kind === 'rest') return stay(whole)
  // The number of blank lines in unclosed code depends on what follows the list.
  return next.starts === 'block' && mode.code !== 'none' ? stay(mode.marker === footnoteMarker ? whole : rest) : next
}

const nextInList = (mode: ListMode, line: string): Step => {
  const column = indentOf(line)
  const marker = markerAt(line)
  if (column >= mode.contentColumn) return stay(insideItem(mode, line))
  const sibling = marker?.kind === mode.marker && !isRule(line)
  if (mode.isAfterBlank && sibling) return nextItem(mode, line)
  // The parser ends indented code that follows a list at its first blank line.
  if (mode.isAfterBlank) return column >= 4 ? stay(opened(line)) : begin(opened(line))
  if (mode.maybeClosed && isUnderline(line)) return stay(rest)
  if (isRule(line)) return begin(closed)
  if (sibling) return mode.maybeClosed && !marker.interrupts ? stay(rest) : nextItem(mode, line)
  if (mode.containsOpaqueBlock && mathFenceAt(line) === '$$') return stay(rest)
  if (interrupts(line)) return begin(opened(line))
  if (marker || isQuote(line) || isDelimiterRow(line)) return stay(rest)
  const containsOpaqueBlock = mode.containsOpaqueBlock || line.includes('$$')
  if (mode.endsInText && isPlainText(line)) return stay({ ...mode, containsOpaqueBlock })
  if (column >= 4) return stay(rest)
  return stay({ ...mode, endsInText: false, isItemEmpty: false, containsOpaqueBlock, maybeClosed: true })
}

/** A blank line between two items makes their list loose, but not if it belongs to the content of the first item. */
const nextItem = (mode: ListMode, line: string): Step => {
  const maybeInside = mode.isAfterBlank && (mode.code !== 'none' || mode.mayOwnBlanks)
  return mode.maybeClosed || mode.maybeTwo || maybeInside ? stay(itemOpened(line, mode)) : { mode: itemOpened(line, null), starts: 'item' }
}

const insideItem = (mode: ListMode, line: string): Mode => {
  if (mode.maybeClosed && mayOpenBlock(line)) return rest
  const containsOpaqueBlock = mode.containsOpaqueBlock || mayStartOpaqueBlock(line)
  const startsParagraph = mode.endsInText || mode.isItemEmpty || mode.isAfterBlank || markerAt(line.trimStart()) !== null
  return {
    ...mode,
    isAfterBlank: false,
    isItemEmpty: false,
    containsOpaqueBlock,
    code: codeAfter(mode.code, line),
    mayOwnBlanks: mode.mayOwnBlanks || mayOwnBlanks(line),
    endsInText:
      !containsOpaqueBlock && !mode.maybeClosed && startsParagraph && indentOf(line) - mode.contentColumn < 4 && isPlainText(line),
  }
}
