/**
 * Counts what makes the parser re-read earlier lines: containers (quotes, list items) that open inside other containers, and lazy lines. The
 * parser's time grows with the square of these counts. An estimate: it may differ from the parser in rare cases.
 */
import { fenceAt, indentOf, isBlank, isHeading, isRule } from './lines.ts'

/** `content` is the column that a line must reach to continue the list item. Unused in quotes. */
type Container = { readonly isQuote: boolean; readonly content: number }

const marker = /^[ \t]*(>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))/

/** A line with more indentation starts no block. */
const maxIndent = 3

export class Containers {
  #open: Container[] = []
  #isInParagraph = false
  /** Nested containers that were opened, and containers that lazy lines left open, so far. */
  changes = 0
  /** The parser visits each open container for each blank line. */
  blankVisits = 0
  /** Lines that start or end code, in containers and outside. */
  fences = 0

  get depth(): number {
    return this.#open.length
  }

  /** Reads a line that has no text: it ends the paragraph, so the next line cannot be lazy. A list item stays open. */
  readBlank(): void {
    this.#isInParagraph = false
    this.blankVisits += this.#open.length
  }

  /** Reads the next line that is neither blank nor code. */
  read(line: string): void {
    let rest = line
    let column = 0
    let level = 0
    /** The column from which indentation is counted: the content of the innermost container that the line continues. */
    let base = 0
    for (;;) {
      const start = column + indentOf(rest)
      const open = this.#open[level]
      if (open && !open.isQuote && start >= open.content) {
        base = open.content
        level += 1
        continue
      }
      const match = start - base > maxIndent || isRule(rest.trimStart()) ? null : marker.exec(rest)
      if (match === null) break
      const [text, sign = ''] = match
      rest = rest.slice(text.length)
      column = start + sign.length
      const gap = indentOf(rest)
      const isQuote = sign === '>'
      base = column + (isQuote ? Math.min(gap, 1) : gap > maxIndent + 1 || isBlank(rest) ? 1 : gap)
      if (open?.isQuote !== isQuote || !isQuote) this.#replace(level, { isQuote, content: base })
      level += 1
    }
    this.#readText(rest, level, column + indentOf(rest) - base > maxIndent)
  }

  #replace(level: number, container: Container): void {
    const isSibling = this.#open[level]?.isQuote === container.isQuote
    this.#open.length = level
    this.#open.push(container)
    if (level > 0 && !isSibling) this.changes += 1
  }

  /** `level` is the number of containers that the line continues or opens. */
  #readText(rest: string, level: number, isIndented: boolean): void {
    const text = rest.trimStart()
    const isFence = !isIndented && fenceAt(text) !== null
    const beginsBlock = isFence || (!isIndented && (isHeading(text) || isRule(text)))
    if (isFence) this.fences += 1
    const isLazy = this.#isInParagraph && !beginsBlock && level < this.#open.length
    // A lazy line continues the paragraph, and with it every open container.
    if (isLazy) this.changes += this.#open.length - level
    else this.#open.length = level
    this.#isInParagraph = !beginsBlock && text !== '' && (this.#isInParagraph || !isIndented)
  }
}
