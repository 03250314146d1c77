/**
 * How the unfinished end of an answer is shown. A marker whose meaning is not decided yet (one backtick of a fence, the first
 * row of a table) is held back, and a span that is still open (`**bold`) is shown as if it were closed, so that nothing on
 * screen turns into something else. Only for display: the finished text is rendered as it is.
 */
import { isBlank, isDelimiterRow } from './lines.ts'
import { mathSpans } from './math-spans.ts'

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

/** A row of cells is a table only once the row of dashes below it is there. */
const withoutFormingTable = (source: string): string => {
  const lines = source.split('\n')
  const firstRow = lines.findLastIndex((line) => !/^ {0,3}\|/.test(line)) + 1
  const rows = lines.slice(firstRow)
  if (rows.length === 0 || rows.length > 2 || isDelimiterRow(rows[1] ?? '')) return source
  return lines.slice(0, firstRow).join('\n')
}

const withClosedSpans = (text: string): string => {
  const fenced = /(?:^|\n)[ \t>]*(?:`{3}|~{3})/.test(text)
  if (fenced) return text
  const openCode = openCodeRun(text)
  if (openCode) return text.endsWith(openCode) ? text.slice(0, -openCode.length) : text + openCode
  // A formula on its way stays as it was written until its end is there.
  const { openAt } = mathSpans(withoutCode(text))
  if (openAt !== -1) return withClosedMarks(text.slice(0, openAt)) + text.slice(openAt)
  return withClosedMarks(text)
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

/** At the same length, without what holds no marks: code and formulas. */
const bareOf = (text: string): string => mathSpans(withoutCode(text)).bare

const withoutCode = (text: string): string => text.replace(/`+[^`]*`+/g, (code) => 'x'.repeat(code.length))

/** The run of backticks that began a code span not yet over. */
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
  // Neither part of a longer run nor followed by white space where it should open.
  const runs = Array.from(bare.matchAll(new RegExp(`(?<!${other})${other}{${mark.length}}(?!${other})`, 'g')), ({ index }) => index)
  const marks = runs.filter((at) => canOpen(bare, at, mark) || canClose(bare, at))
  const last = marks.at(-1)
  if (marks.length % 2 === 0 || last === undefined || !canOpen(bare, last, mark)) return text
  if (last + mark.length === text.length) return text.slice(0, last)
  // Half of the closing mark has already come.
  const body = mark.length === 2 && text.endsWith(char) && !text.endsWith(mark) ? text.slice(0, -1) : text
  const shown = body.trimEnd()
  return shown + mark + body.slice(shown.length)
}

const canOpen = (text: string, at: number, mark: string): boolean => {
  const next = text.charAt(at + mark.length)
  return !/\s/.test(next) && (!mark.startsWith('_') || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)))
}

const canClose = (text: string, at: number): boolean => at > 0 && !/\s/.test(text.charAt(at - 1))
