/**
 * What the parser would take minutes for, or end its stack in: it is shown as it was written. From each mark the parser looks back at those
 * before it in the same text, so of a page of nothing but marks it reads far more than the page.
 */
import { closesFence, fenceAt, indentOf, isBlank, isDelimiterRow } from './lines.ts'

export const isTooMuch = (text: string): boolean => tooDeep.test(text) || mostMarks(text) > maxMarks

/** Quotes and lists in each other: the parser calls itself once for each, and the stack ends somewhere. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){100}/m

/** Ours: a tenth of a second of the dearest, and more than a page of prose has letters. */
const maxMarks = 2000

const marks = /[\]*_~`<]/g

/** Begins an item, if it is not indented too far to begin anything. */
const item = /^[ \t]*(?:[-*+]|(\d{1,9})[.)])[ \t]+\S/

/** The most marks that may stand in one text: those of lines of which none surely begins another. What is code has none. */
function mostMarks(text: string): number {
  let most = 0
  let count = 0
  /** Where the content of the last item begins, and whether the next number begins another. */
  let content = 0
  let isNumbered = false
  let isTable = false
  let isAfterBlank = false
  let fence: { readonly char: string; readonly length: number } | null = null
  for (const line of text.split('\n')) {
    const indent = indentOf(line)
    if (fence && (isBlank(line) || indent >= content)) {
      if (closesFence(line.trimStart(), fence)) fence = null
      continue
    }
    fence = null
    // Over is the item, and what is as far to the right as its content begins nothing any more.
    if (isAfterBlank && !isBlank(line) && indent < content) content = 0
    const mayBegin = indent <= content + 3
    const opened = mayBegin ? fenceAt(line.trimStart()) : null
    const begun = mayBegin ? item.exec(line) : null
    const isItem = begun !== null && (begun[1] === undefined || isNumbered || Number(begun[1]) === 1)
    if (opened || isItem || isTable || isBlank(line)) count = 0
    if (opened && indent < content) content = 0
    if (isItem) [content, isNumbered] = [indent + 2, begun[1] !== undefined]
    isAfterBlank = isBlank(line)
    if (isAfterBlank) isTable = false
    else if (isDelimiterRow(line.trimStart())) isTable = true
    fence = opened
    count += opened ? 0 : (line.match(marks)?.length ?? 0)
    most = Math.max(most, count)
  }
  return most
}
