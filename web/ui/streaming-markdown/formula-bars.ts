/** Bars of formulas in tables. A bar divides cells, so those inside of formulas are replaced before a parser reads the text. */
import { isBlank, isDelimiterRow } from './lines.ts'
import { formulasIn, replacedSpans } from './math-spans.ts'

/** Stands for a bar. Unicode reserves this code point for the internal use of a program. */
export const hiddenBar = '\ufdd1'

const unescapedBar = /(?<!\\)\|/g

/** The text with the same length and hidden bars. A formula of a table is in one row. */
export function withHiddenBars(text: string): string {
  const lines = text.split('\n')
  const hiddenLines = lines.map((line) =>
    replacedSpans(line, formulasIn(line).spans, (formula) => formula.replace(unescapedBar, hiddenBar)),
  )
  let columns: number | null = null
  for (const [index, line] of lines.entries()) {
    const delimiterRow = [line, lines[index + 1] ?? ''].find((row) => isDelimiterRow(withoutPrefix(row)))
    if (delimiterRow !== undefined) columns = cellsIn(delimiterRow)
    else if (isBlank(line)) columns = null
    // `| $5/kg | 20$ |` looks like a formula, but only the bars as written give the row the columns of its table.
    if (columns !== null && cellsIn(line) === columns && cellsIn(hiddenLines[index] ?? '') !== columns) hiddenLines[index] = line
  }
  return hiddenLines.join('\n')
}

/** Without the markers of quotes and list items. */
const withoutPrefix = (line: string): string => line.replace(/^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])+(?=[^\s>])/, '')

const cellsIn = (line: string): number =>
  withoutPrefix(line)
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(unescapedBar).length
