/**
 * The line state machine of the block splitter. `step` takes the open block before a line and returns the open block after it, and whether
 * a new top-level block, or the next item of a top-level list, certainly starts at the line.
 *
 * A split must never be wrong; a missing one only costs speed, because two blocks rendered together look the same. If the meaning of a line
 * depends on the inside of a container, the machine keeps both readings in one mode while they agree (`raw`, a `list` that is `maybeClosed`)
 * and stops splitting where they differ (`rest`).
 */
import {
  type Code,
  closesFence,
  codeAfter,
  fenceAt,
  footnoteAt,
  footnoteContent,
  hidesBlanks,
  hidesText,
  htmlAt,
  indentOf,
  interrupts,
  isBlank,
  isDelimiterRow,
  isHeading,
  isQuote,
  isRule,
  isUnderline,
  isWordy,
  markerAt,
  mayOpenBlock,
} from './lines.ts'
import { endOfMath, hasOpenDollars, mathFenceAt } from './math-rules.ts'

export type Mode =
  /** No open block: the next line with text starts one. */
  | { readonly kind: 'closed' }
  /**
   * Open until a blank line or a block that can interrupt a paragraph. `dollars`: two dollars can start a formula in it. `bare`: its last
   * line is two dollars that close a formula and might also be a table header, after which they could start one.
   */
  | { readonly kind: 'paragraph'; readonly table: boolean; readonly dollars: boolean; readonly bare: boolean }
  /** After a line that is probably a heading underline. `lazy`: or text that continues a quote. */
  | { readonly kind: 'underlined'; readonly dollars: boolean; readonly lazy: boolean }
  /** `opaque`: code, a formula or HTML may be open in it. */
  | { readonly kind: 'quote'; readonly opaque: boolean }
  /** An HTML block, or a paragraph that starts with a tag. Both end at a blank line. */
  | { readonly kind: 'raw' }
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
  readonly content: number
  readonly afterBlank: boolean
  /** The item has no content yet; a blank line ends it. */
  readonly emptyItem: boolean
  /** The last line is certainly paragraph text, so an unindented line continues it. */
  readonly text: boolean
  /** Code or HTML occurred inside, so `text` is unknown from here. */
  readonly containsOpaqueBlock: boolean
  readonly code: Code
  /** The list may have ended, with a plain paragraph open instead. */
  readonly maybeClosed: boolean
  /** It may have ended above the last item, so the items may belong to two lists. */
  readonly maybeTwo: boolean
  /** The blank lines below the item may belong to a formula or to HTML. */
  readonly maybeNotBlank: boolean
}

/** `starts`: the line certainly starts a top-level block, or another item of the list that is open at the top level. */
type Step = { readonly mode: Mode; readonly starts: 'block' | 'item' | null }

const closed: Mode = { kind: 'closed' }
const rest: Mode = { kind: 'rest' }
const whole: Mode = { kind: 'whole' }
const stay = (mode: Mode): Step => ({ mode, starts: null })
const begin = (mode: Mode): Step => ({ mode, starts: 'block' })

export const step = (mode: Mode, line: string): Step => {
  if (isBlank(line)) return stay(afterBlank(mode))
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
    case 'raw':
      return stay(mayOpenBlock(line) ? rest : mode)
    case 'list':
      return inList(mode, line)
    case 'rest':
    case 'whole':
      return stay(mode)
  }
}

const afterBlank = (mode: Mode): Mode => {
  switch (mode.kind) {
    case 'paragraph':
    case 'underlined':
    case 'quote':
    case 'raw':
      return closed
    case 'list':
      return { ...mode, afterBlank: true, text: false, emptyItem: false, maybeClosed: mode.maybeClosed || mode.emptyItem }
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
  if (marker) return listAfter(line, null)
  const footnote = footnoteAt(line)
  if (footnote) return footnoteAfter(footnote.text)
  if (isQuote(line)) return { kind: 'quote', opaque: hidesText(line) }
  const math = mathFenceAt(line)
  if (math) return { kind: 'math', opener: math }
  switch (htmlAt(line)) {
    case 'untilEndTag':
      return rest
    case 'closed':
      return closed
    case 'untilBlankLine':
      return { kind: 'raw' }
    case null:
      return { kind: 'paragraph', table: false, dollars: hasOpenDollars(line), bare: false }
  }
}

/** The mode after the first line of an item. `before`: the mode before it, null for the first item. */
const listAfter = (line: string, before: ListMode | null): Mode => {
  const marker = markerAt(line)
  if (!marker) return rest
  const containsOpaqueBlock = before?.containsOpaqueBlock === true || hidesText(line)
  return {
    kind: 'list',
    marker: marker.kind,
    content: marker.content,
    afterBlank: false,
    emptyItem: marker.empty,
    text: !containsOpaqueBlock && !marker.code && isWordy(line),
    containsOpaqueBlock,
    code: codeAfter('closed', line),
    maybeClosed: false,
    maybeTwo: before?.maybeClosed === true || before?.maybeTwo === true,
    maybeNotBlank: hidesBlanks(line),
  }
}

/** A footnote is read like a list of one item. Its first line must be plain text or begin with a link, or the whole text is one block. */
const footnoteAfter = (text: string): Mode =>
  (isWordy(text) || /^(?:\[[^\]\n]+\]\(|<https?:)/.test(text)) && !hidesText(text)
    ? {
        kind: 'list',
        marker: footnoteMarker,
        content: footnoteContent,
        afterBlank: false,
        emptyItem: false,
        text: true,
        containsOpaqueBlock: false,
        code: 'closed',
        maybeClosed: false,
        maybeTwo: false,
        maybeNotBlank: false,
      }
    : whole

/** Text behind the end of a formula starts a block of its own. A mark of code or of a formula behind it does not start its line. */
const inMath = (mode: Extract<Mode, { kind: 'math' }>, line: string): Mode => {
  const end = endOfMath(line, mode.opener)
  if (end === -1) return mode
  const tail = line.slice(end + 2).trimStart()
  if (tail === '') return closed
  return mathFenceAt(tail) || fenceAt(tail) ? rest : opened(tail)
}

const inParagraph = (mode: Extract<Mode, { kind: 'paragraph' }>, line: string): Step => {
  const marker = markerAt(line)
  const dollars = mode.dollars !== hasOpenDollars(line)
  if (isDelimiterRow(line)) return stay(marker || mode.bare ? rest : { kind: 'paragraph', table: true, dollars, bare: false })
  if (isUnderline(line)) return stay(mode.table ? rest : { kind: 'underlined', dollars: mode.dollars, lazy: false })
  if (isRule(line)) return begin(closed)
  if (mode.dollars && mathFenceAt(line) === '$$') return stay(mode.table ? rest : { ...mode, dollars, bare: true })
  if (interrupts(line)) return begin(opened(line))
  const html = htmlAt(line)
  // Table rows end where any block starts, paragraph text only where an interrupting block starts.
  if (mode.table && (marker || html || indentOf(line) >= 4)) return stay(rest)
  if (marker?.nested) return stay(rest)
  if (isQuote(line)) return stay({ kind: 'quote', opaque: true })
  if (html) return stay(html === 'untilBlankLine' ? { kind: 'raw' } : rest)
  return stay({ ...mode, dollars, bare: false })
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
  if (mode.dollars && mathFenceAt(line) === '$$') return stay(rest)
  if (mode.lazy && isQuote(line)) return stay({ kind: 'quote', opaque: true })
  if (interrupts(line)) return begin(opened(line))
  if (markerAt(line) || htmlAt(line) || indentOf(line) >= 4 || isDelimiterRow(line)) return stay(rest)
  // If it was not a heading, two dollars above it are still open.
  if (mode.dollars) return stay(rest)
  return stay(
    isQuote(line) ? { kind: 'quote', opaque: true } : { kind: 'paragraph', table: false, dollars: hasOpenDollars(line), bare: false },
  )
}

const inQuote = (mode: Extract<Mode, { kind: 'quote' }>, line: string): Step => {
  const opaque = mode.opaque || hidesText(line)
  if (isQuote(line)) return stay({ ...mode, opaque })
  if (mode.opaque && mathFenceAt(line) === '$$') return stay(rest)
  if (isUnderline(line)) return stay(markerAt(line) ? rest : { kind: 'underlined', dollars: true, lazy: true })
  if (isRule(line)) return begin(closed)
  if (interrupts(line)) return begin(opened(line))
  if (markerAt(line) || htmlAt(line) || indentOf(line) >= 4 || isDelimiterRow(line)) return stay(rest)
  return stay({ ...mode, opaque })
}

const inList = (mode: ListMode, line: string): Step => {
  const next = nextInList(mode, line)
  // A footnote must be a block of its own, because the section below the text shows it.
  if (mode.marker === footnoteMarker && next.mode.kind === 'rest') return stay(whole)
  // The number of blank lines in unclosed code depends on what follows the list.
  return next.starts === 'block' && mode.code !== 'closed' ? stay(mode.marker === footnoteMarker ? whole : rest) : next
}

const nextInList = (mode: ListMode, line: string): Step => {
  const column = indentOf(line)
  const marker = markerAt(line)
  if (column >= mode.content) return stay(insideItem(mode, line))
  const sibling = marker?.kind === mode.marker && !isRule(line)
  if (mode.afterBlank && sibling) return nextItem(mode, line)
  // The parser ends indented code that follows a list at its first blank line.
  if (mode.afterBlank) return column >= 4 ? stay(opened(line)) : begin(opened(line))
  if (mode.maybeClosed && isUnderline(line)) return stay(rest)
  if (isRule(line)) return begin(closed)
  if (sibling) return mode.maybeClosed && !marker.interrupts ? stay(rest) : nextItem(mode, line)
  if (mode.containsOpaqueBlock && mathFenceAt(line) === '$$') return stay(rest)
  if (interrupts(line)) return begin(opened(line))
  if (marker || htmlAt(line) || isQuote(line) || isDelimiterRow(line)) return stay(rest)
  const containsOpaqueBlock = mode.containsOpaqueBlock || line.includes('$$')
  if (mode.text && isWordy(line)) return stay({ ...mode, containsOpaqueBlock })
  if (column >= 4) return stay(rest)
  return stay({ ...mode, text: false, emptyItem: false, containsOpaqueBlock, maybeClosed: true })
}

/** A blank line between two items makes their list loose, but not if it belongs to the content of the first item. */
const nextItem = (mode: ListMode, line: string): Step => {
  const maybeInside = mode.afterBlank && (mode.code !== 'closed' || mode.maybeNotBlank)
  return mode.maybeClosed || mode.maybeTwo || maybeInside ? stay(listAfter(line, mode)) : { mode: listAfter(line, null), starts: 'item' }
}

const insideItem = (mode: ListMode, line: string): Mode => {
  if (mode.maybeClosed && (mayOpenBlock(line) || htmlAt(line))) return rest
  const containsOpaqueBlock = mode.containsOpaqueBlock || hidesText(line)
  const startsParagraph = mode.text || mode.emptyItem || mode.afterBlank || markerAt(line.trimStart()) !== null
  return {
    ...mode,
    afterBlank: false,
    emptyItem: false,
    containsOpaqueBlock,
    code: codeAfter(mode.code, line),
    maybeNotBlank: mode.maybeNotBlank || hidesBlanks(line),
    text: !containsOpaqueBlock && !mode.maybeClosed && startsParagraph && indentOf(line) - mode.content < 4 && isWordy(line),
  }
}
