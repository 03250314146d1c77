/**
 * Finds text for which the parser needs seconds or overflows its stack. Such text is shown as plain text. The parser's time is not linear in
 * the work of one paragraph, nested containers, headings that are underlined without a blank line between, table columns and missing cells.
 */
import type { Block } from './blocks.ts'
import { Containers } from './containers.ts'
import { closesFence, fenceAt, indentOf, isBlank, isDelimiterRow } from './lines.ts'
import { memoByObject } from './memo-by-object.ts'
import { ParagraphWork } from './paragraph-work.ts'

export const exceedsParserLimits = (text: string): boolean => tooDeep.test(text) || exceedsLimits(text)

/**
 * Chosen: 1.8 seconds of drawing on a slow machine, 6,500 blocks or list items, or 13,000 bars in tables. Drawing is linear (0.27 ms for a block,
 * 0.14 ms for a cell), and an answer of 84 KB can hold 28,000 paragraphs of one letter.
 */
const maxDrawingCost = 13_000
const blockCost = 2

const itemStart = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/gm
/** Linear: the spaces before a bar and those after the bar are matched apart. */
const tableHead = /^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\||$)/m

const isFence = ({ source }: Block): boolean => /^ {0,3}(?:```|~~~)/.test(source)

const drawingCost = memoByObject((block: Block): number => {
  if (isFence(block)) return blockCost
  const items = block.source.match(itemStart)?.length ?? 0
  return blockCost * (1 + items) + (tableHead.test(block.source) ? pipesIn(block.source) : 0)
})

/**
 * References and definitions of footnotes. Chosen: half a second of parsing, and many times the notes of an answer. Each block with a reference
 * counts all references before it, so the time grows with the square of their number.
 */
const maxFootnoteMarks = 1000

const footnoteMarks = memoByObject((block: Block): number => (isFence(block) ? 0 : block.source.split('[^').length - 1))

const sumOf = (blocks: readonly Block[], numberOf: (block: Block) => number): number =>
  blocks.reduce((sum, block) => sum + numberOf(block), 0)

/** True for a text of so many blocks, list items, table cells and footnotes that it is shown as plain text. */
export const exceedsRenderLimits = (blocks: readonly Block[]): boolean =>
  sumOf(blocks, drawingCost) > maxDrawingCost || sumOf(blocks, footnoteMarks) > maxFootnoteMarks

/** Chosen: nesting of quotes and lists: the parser recurses once per level. */
const maxDepth = 100
const tooDeep = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){100}/m

/** Chosen: half a second of parsing, and more than a list of 1,000 items with two levels below each. */
const maxContainerChanges = 2000

/** Chosen: 60 ms of parsing. The time grows with the third power of the number of underlines. */
const maxUnderlines = 500
const underline = /^[ \t>]*(?:=+|-+)[ \t]*$/

/** Lines that start or end code. Chosen: 0.2 seconds of drawing, because each code block has a header with buttons. */
const maxFences = 1000

/** Columns of a table. Chosen: 20 times what a wide screen shows. */
const maxColumns = 1000

/** Containers that the parser visits for blank lines. Chosen: 0.2 seconds of parsing, and 20,000 blank lines in a list of ten levels. */
const maxBlankVisits = 200_000

/** Cells that the parser adds to short rows. Chosen: many more than a table written by a model leaves out. */
const maxMissingCells = 10_000

/** Starts an item, if it is not indented too far. */
const item = /^[ \t]*(?:[-*+]|(\d{1,9})[.)])[ \t]+\S/

const withoutQuotes = (line: string): string => line.replace(/^[ \t>]+/, '')

const pipesIn = (line: string): number => line.split('|').length - 1

/** The work of a paragraph is counted until a line certainly starts another one. Code is not counted. */
function exceedsLimits(text: string): boolean {
  const containers = new Containers()
  const paragraph = new ParagraphWork()
  let underlines = 0
  let columns = 0
  let missingCells = 0
  /** The content column of the last item, and whether the next number starts another item. */
  let content = 0
  let isNumbered = false
  let isTable = false
  let isAfterBlank = false
  let fence: { readonly char: string; readonly length: number } | null = null
  for (const line of text.split('\n')) {
    const indent = indentOf(line)
    if (fence && (isBlank(line) || indent >= content)) {
      if (closesFence(line.trimStart(), fence)) fence = null
      if (isBlank(line)) containers.readBlank()
      continue
    }
    fence = null
    // The item has ended; its content column no longer applies.
    if (isAfterBlank && !isBlank(line) && indent < content) content = 0
    const mayBegin = indent <= content + 3
    const opened = mayBegin ? fenceAt(line.trimStart()) : null
    const begun = mayBegin ? item.exec(line) : null
    const isItem = begun !== null && (begun[1] === undefined || isNumbered || Number(begun[1]) === 1)
    if (opened || isItem || isTable || isBlank(line)) paragraph.reset()
    if (opened && indent < content) content = 0
    if (isItem) [content, isNumbered] = [indent + 2, begun[1] !== undefined]
    isAfterBlank = isBlank(line)
    if (isBlank(withoutQuotes(line))) {
      underlines = columns = 0
      containers.readBlank()
    } else {
      if (columns > 0) missingCells += Math.max(0, columns - 1 - pipesIn(line))
      else if (isDelimiterRow(withoutQuotes(line))) columns = pipesIn(line) + 1
      if (underline.test(line)) underlines += 1
      containers.read(line)
    }
    if (isAfterBlank) isTable = false
    else if (isDelimiterRow(line.trimStart())) isTable = true
    fence = opened
    if (!opened) paragraph.read(line)
    if (paragraph.isTooMuch || underlines > maxUnderlines || columns > maxColumns || missingCells > maxMissingCells) return true
    if (isTooMuchFor(containers)) return true
  }
  return false
}

const isTooMuchFor = ({ changes, depth, blankVisits, fences }: Containers): boolean =>
  changes > maxContainerChanges || depth > maxDepth || blankVisits > maxBlankVisits || fences > maxFences
