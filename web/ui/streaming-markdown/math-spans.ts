/**
 * Finds the formulas of a block of Markdown, by the rules of math-rules.ts. Linear: each character is read once for each kind of opener,
 * because the search for an end stops at the next opener of its kind.
 */
import { endOfMath, isFormula, leavesDollarsOpen, maxFormulaChars, type Opener } from './math-rules.ts'

export type FormulaSpan = {
  readonly start: number
  /** The end of an open formula is the end of its container or of the text. */
  readonly end: number
  readonly opener: Opener
  /** The opener is alone on its line, so the formula may contain any lines. */
  readonly isBlock: boolean
  readonly isClosed: boolean
}

type Formulas = {
  readonly spans: readonly FormulaSpan[]
  /** The start of an open formula, -1 if there is none. A single dollar starts none: it may be money. */
  readonly openAt: number
}

/** `spans` are in order and do not overlap. */
export function replacedSpans(
  text: string,
  spans: readonly Pick<FormulaSpan, 'start' | 'end'>[],
  replacementOf: (span: string) => string,
): string {
  const parts: string[] = []
  let copied = 0
  for (const { start, end } of spans) {
    parts.push(text.slice(copied, start), replacementOf(text.slice(start, end)))
    copied = end
  }
  return parts.join('') + text.slice(copied)
}

/** Formulas start with a dollar or a backslash and not in code. */
const signs = /[\\$`~]/g

export const formulasIn = (text: string): Formulas => {
  const spans: FormulaSpan[] = []
  const endOfCode = codeReader(text)
  const paragraph = paragraphReader(text)
  const endOfContainer = containerReader(text)
  let openAt = -1
  let at = 0
  for (;;) {
    signs.lastIndex = at
    const sign = signs.exec(text)
    if (sign === null) return { spans, openAt }
    at = sign.index
    const opener = openerAt(text, at)
    if (opener === null) {
      at = sign[0] === '\\' ? at + 2 : sign[0] === '$' ? at + runLength(text, at) : endOfCode(at)
      continue
    }
    const start = at
    const body = start + opener.length
    if ((opener === '$$' || opener === '\\[') && isAlone(text, start) && !(opener === '$$' && paragraph.isWithinDollars(start))) {
      const containerEnd = endOfContainer(start)
      const end = endOfMath(text.slice(0, containerEnd), opener, body)
      const isClosed = end !== -1
      at = isClosed ? end + 2 : containerEnd
      spans.push({ start, end: at, opener, isBlock: true, isClosed })
      if (!isClosed && at === text.length) return { spans, openAt: openAt === -1 ? start : openAt }
      paragraph.startAt(at)
      continue
    }
    const found = endOf(text, opener, body)
    if (found.kind !== 'found') {
      if (found.kind === 'none' && opener !== '$' && openAt === -1) openAt = start
      at = body
      continue
    }
    const end = found.at + opener.length
    const isOne = isFormula(opener, text.slice(body, found.at), text.charAt(end))
    if (isOne) spans.push({ start, end, opener, isBlock: false, isClosed: true })
    // A rejected formula with two dollars is two prices; neither starts a formula.
    at = isOne || opener === '$$' ? end : body
  }
}

/** The number of equal characters from this index. */
const runLength = (text: string, at: number): number => {
  let end = at + 1
  while (text[end] === text[at]) end += 1
  return end - at
}

/** Tells if two dollars of the current paragraph are open. Reads each line once. */
function paragraphReader(text: string) {
  let readTo = 0
  let isOpen = false
  return {
    startAt: (at: number): void => {
      readTo = at
      isOpen = false
    },
    isWithinDollars: (at: number): boolean => {
      const paragraphs = text.slice(readTo, at).split(/\n[ \t>]*\n/)
      isOpen = (paragraphs.length === 1 && isOpen) !== leavesDollarsOpen(paragraphs.at(-1) ?? '')
      readTo = at
      return isOpen
    },
  }
}

/** Returns the end of the code that starts at a run of backticks or tildes, or the end of the run if it starts none. */
function codeReader(text: string): (at: number) => number {
  /** Lengths of runs that do not occur in the rest of the text. */
  const last = new Set<number>()
  return (at) => {
    const sign = text.charAt(at)
    const length = runLength(text, at)
    const isFence = length >= 3 && startsLine(text, at)
    if (!isFence && (sign === '~' || last.has(length))) return at + length
    let next = text.indexOf(sign, at + length)
    while (next !== -1) {
      const found = runLength(text, next)
      if (isFence ? found >= length : found === length) return next + found
      next = text.indexOf(sign, next + found)
    }
    // An open fence continues to the end.
    if (isFence) return text.length
    last.add(length)
    return at + length
  }
}

/** The closed code spans of a line. */
export function codeSpansIn(line: string): readonly Pick<FormulaSpan, 'start' | 'end'>[] {
  const spans: { readonly start: number; readonly end: number }[] = []
  const endOfCode = codeReader(line)
  for (let at = 0; at < line.length; ) {
    if (line[at] === '`') {
      const end = endOfCode(at)
      if (end > at + runLength(line, at)) spans.push({ start: at, end })
      at = end
    } else at += line[at] === '\\' ? 2 : 1
  }
  return spans
}

const openerAt = (text: string, at: number): Opener | null => {
  if (text[at] === '\\') {
    const next = text[at + 1]
    return next === '(' || next === '[' ? `\\${next}` : null
  }
  if (text[at] !== '$' || /[\w$]/.test(text.charAt(at - 1))) return null
  const length = runLength(text, at)
  return length === 1 ? '$' : length === 2 ? '$$' : null
}

/** Markers of quotes and list items. Chosen: a line with a longer prefix starts neither a formula nor code. */
const containers = /(?:^|\n)(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*$/
const maxPrefix = 100

const startsLine = (text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - maxPrefix), at)
  return (at <= maxPrefix || before.includes('\n')) && containers.test(before)
}

/** A line that begins with text is in no quote and no list item. Other ends of a container are not detected. Reads each line once. */
function containerReader(text: string): (at: number) => number {
  const outside = /\n[^\s>]/g
  let end = -1
  return (at) => {
    if (text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '') return text.length
    if (end < at) {
      outside.lastIndex = at
      end = outside.exec(text)?.index ?? text.length
    }
    return end
  }
}

const isAlone = (text: string, at: number): boolean => startsLine(text, at) && isLineEnd(text, afterSpaces(text, at + 2))

/** The index of the next character that is neither a space nor a tab. */
const afterSpaces = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at += 1
  return at
}

/** True at a line break and at the end of the text. */
const isLineEnd = (text: string, at: number): boolean => at >= text.length || text[at] === '\n'

/** `stopped`: the opener has no end. The search continues behind the opener. */
type End = { readonly kind: 'found'; readonly at: number } | { readonly kind: 'stopped' } | { readonly kind: 'none' }

/** A line after which no paragraph continues, or that starts another one. */
const paragraphEnd = /\n[ \t>]*(?:\n|#{1,6}[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t])/y

const endOf = (text: string, opener: Opener, from: number): End => {
  for (let at = from; at < text.length; at += 1) {
    if (at - from > maxFormulaChars) return { kind: 'stopped' }
    const char = text.charAt(at)
    if (char === '\\') {
      const pair = text.slice(at, at + 2)
      if (pair === opener) return { kind: 'stopped' }
      if ((opener === '\\(' && pair === '\\)') || (opener === '\\[' && pair === '\\]')) return { kind: 'found', at }
      at += 1
    } else if (char === '\n') {
      paragraphEnd.lastIndex = at
      if (opener === '$' || paragraphEnd.test(text)) return { kind: 'stopped' }
    } else if (opener === '$') {
      if (char === '`') return { kind: 'stopped' }
      if (char === '$') return text[at + 1] === '$' ? { kind: 'stopped' } : { kind: 'found', at }
    } else if (opener === '$$' && char === '$' && text[at + 1] === '$') {
      return text[at + 2] === '$' ? { kind: 'stopped' } : { kind: 'found', at }
    }
  }
  return { kind: 'none' }
}
