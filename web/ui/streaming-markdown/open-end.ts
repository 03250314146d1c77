/**
 * Renders the unfinished end of an answer. A marker with undecided meaning (one backtick of a fence, the first row of a table) is withheld,
 * and an open span (`**bold`) is rendered as closed, so that nothing on screen changes its kind. For display only: the finished text is
 * rendered unchanged.
 */
import { addressesIn } from './addresses.ts'
import { isBlank, isDelimiterRow, tagOf } from './answer-syntax.ts'
import { isFormula } from './math-rules.ts'
import { formulasIn, replacedSpans } from './math-spans.ts'

export const withSettledEnd = (source: string): string => {
  const settled = withoutFormingTable(withoutFormingMarker(source))
  const start = lastParagraphStart(settled)
  return settled.slice(0, start) + withClosedSpans(settled.slice(start))
}

const lastParagraphStart = (source: string): number => {
  let lineEnd = source.length
  while (lineEnd > 0) {
    const lineStart = source.lastIndexOf('\n', lineEnd - 1) + 1
    if (isBlank(source.slice(lineStart, lineEnd))) return lineEnd
    lineEnd = lineStart - 1
  }
  return 0
}

const formingMarker = /^[ \t>]*(?:[-*+=_#|`~:<][-*+=_#|`~: \t]*|\d{1,9}[.)]?[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]?\]?[ \t]*)$/

const withoutFormingMarker = (source: string): string => {
  const lineStart = source.lastIndexOf('\n') + 1
  return formingMarker.test(source.slice(lineStart)) ? source.slice(0, Math.max(0, lineStart - 1)) : source
}

/** A row of cells becomes a table only after its delimiter row. */
const withoutFormingTable = (source: string): string => {
  const lines = source.split('\n')
  const firstRow = lines.findLastIndex((line) => !/^ {0,3}\|/.test(line)) + 1
  const rows = lines.slice(firstRow)
  if (rows.length === 0 || rows.length > 2 || isDelimiterRow(rows[1] ?? '')) return source
  return lines.slice(0, firstRow).join('\n')
}

const withClosedSpans = (source: string): string => {
  const fenced = /(?:^|\n)[ \t>]*(?:`{3}|~{3})/.test(source)
  if (fenced) return source
  const text = withClosedCode(source)
  const { openAt } = formulasIn(text)
  if (openAt !== -1) return withClosedMarks(text.slice(0, openAt)) + withOpenBlock(text, openAt)
  return withClosedTags(withoutFormingTag(text))
}

const withClosedCode = (text: string): string => {
  const openCode = openCodeRun(text)
  if (!openCode) return text
  return text.endsWith(openCode) ? text.slice(0, -openCode.length) : text + openCode
}

const withoutFormingTag = (text: string): string => {
  const comment = text.lastIndexOf('<!--')
  if (comment !== -1 && !text.includes('-->', comment) && bareOf(text).startsWith('<!--', comment)) return text.slice(0, comment)
  return text.replace(formingTag, '').replace(formingAutolink, '')
}

/** The bracket of `<https://…`. */
const formingAutolink = /(?<!\\)<(?=https?:\/\/[^\s<>]+$)/i

/** A beginning of a tag that is drawn, of a comment or of an address in brackets. */
const formingTag =
  /(?<!\\)<(?:!-?|h(?:t(?:t(?:p(?:s?(?::\/{0,2})?)?)?)?)?|\/?(?:s(?:u[bp]?)?|k(?:bd?)?|m(?:a(?:rk?)?)?|u)?|b(?:r[ \t]*\/?)?)$/i

/** Chosen: more than an answer nests. The others stay text. */
const maxOpenTags = 8

/** The marks between two open tags end before the second one ends. */
function withClosedTags(text: string): string {
  const bare = bareOf(text)
  const open: { readonly name: string; readonly end: number }[] = []
  for (const { 0: source, index } of bare.matchAll(/(?<!\\)<\/?[a-z]+>/gi)) {
    const tag = tagOf(source)
    if (tag.kind === 'open') open.push({ name: tag.name, end: index + source.length })
    const opener = tag.kind === 'close' ? open.findLastIndex(({ name }) => name === tag.name) : -1
    if (opener !== -1) open.length = opener
  }
  // Another cell of a row.
  const cell = /^ {0,3}\|/.test(bare.slice(bare.lastIndexOf('\n') + 1)) ? bare.lastIndexOf('|') : -1
  const closed = open
    .filter(({ end }) => end > cell)
    .slice(-maxOpenTags)
    .reduceRight((inner, { name, end }) => `${inner.slice(0, end)}${withClosedMarks(inner.slice(end))}</${name}>`, text)
  return withClosedMarks(closed)
}

/** `$$x` and `\[x`. Group 3: the formula, without half of its closing mark. */
const openFormula = /^(\$\$|\\\[)([ \t]*)([^\n].*?)[$\\]?$/s

/** Indentation and markers of quotes and list items. */
const linePrefix = /^(?: *(?:>|(?:[-*+]|\d{1,9}[.)])(?= )))* {0,3}$/

/**
 * Shows an unfinished formula as an open block if only indentation and markers precede it on its line; otherwise it stays source text. The
 * opener gets its own line, and the next line continues the same quotes and items.
 */
const withOpenBlock = (text: string, at: number): string => {
  const [, opener, space = '', value = ''] = openFormula.exec(text.slice(at)) ?? []
  const prefix = linePrefix.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[0]
  const isBlock = prefix !== undefined && (opener === '$$' || opener === '\\[') && isFormula(opener, space + value, '')
  return isBlock ? `${opener}\n${prefix.replace(/[^ >]/g, ' ')}${value}` : text.slice(at)
}

const withClosedMarks = (text: string): string => {
  let shown = withoutOpenLink(text).replace(/\\$/, '')
  let bare = bareOf(shown)
  for (const mark of ['**', '~~', '__', '*', '_']) {
    const closed = withClosed(shown, bare, mark)
    if (closed !== shown) bare = bareOf(closed)
    shown = closed
  }
  return shown
}

/** The same length without code, formulas and addresses, because they contain no marks. */
const bareOf = (text: string): string => {
  const withoutCode = text.replace(/`+[^`]*`+/g, masked)
  const withoutFormulas = replacedSpans(withoutCode, formulasIn(withoutCode).spans, masked)
  const addresses = addressesIn(withoutFormulas).map(({ start, text: { length } }) => ({ start, end: start + length }))
  return replacedSpans(withoutFormulas, addresses, masked)
}

const masked = ({ length }: string): string => 'x'.repeat(length)

/** The backticks that opened a code span without an end. */
const openCodeRun = (text: string): string | null => {
  let open: string | null = null
  for (const [run] of text.matchAll(/`+/g)) {
    if (open === null) open = run
    else if (open === run) open = null
  }
  return open
}

const withoutOpenLink = (text: string): string =>
  text.replace(/(?<!\\)!?\[([^\][\n]*)\]\([^()\s]*$/, '$1').replace(/(?<!\\)!?\[([^\][\n]*)$/, '$1')

const withClosed = (text: string, bare: string, mark: string): string => {
  const char = mark.charAt(0)
  const other = `\\${char}`
  // Not part of a longer run, and not followed by white space as an opener.
  const runs = Array.from(bare.matchAll(new RegExp(`(?<!${other})${other}{${mark.length}}(?!${other})`, 'g')), ({ index }) => index)
  const marks = runs.filter((at) => canOpen(bare, at, mark) || canClose(bare, at))
  const last = marks.at(-1)
  if (marks.length % 2 === 0 || last === undefined || !canOpen(bare, last, mark)) return text
  if (last + mark.length === text.length) return text.slice(0, last)
  // Half of the closing mark has arrived.
  const body = mark.length === 2 && text.endsWith(char) && !text.endsWith(mark) ? text.slice(0, -1) : text
  const shown = body.trimEnd()
  return shown + mark + body.slice(shown.length)
}

const canOpen = (text: string, at: number, mark: string): boolean => {
  const next = text.charAt(at + mark.length)
  return !/\s/.test(next) && (!mark.startsWith('_') || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)))
}

const canClose = (text: string, at: number): boolean => at > 0 && !/\s/.test(text.charAt(at - 1))
