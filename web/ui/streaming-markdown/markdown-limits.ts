/** Finds text with too many elements. Such text is shown as plain text. Parsing takes at most a second for 84 KB of any text. */
import type { Token } from 'markdown-it'
import type { Block } from './blocks.ts'

/**
 * Chosen: 1.8 seconds of drawing on a slow machine: 6,500 list items, or 12,000 cells of tables. Drawing is linear (0.14 ms for an element), and an
 * answer of 84 KB can hold 28,000 paragraphs of one letter.
 */
const maxElements = 13_000

/** A code block has a header with buttons. */
const elementsOfCode = 13

/** A reference to a footnote, or its definition, which is parsed again for the section below the text. Chosen: 1,000 are too many. */
const elementsOfNote = 13

/** Chosen: emphasis has two to six marks. */
const marksOfElement = 3
const marks = /[*_~`[<]/g

/** The number of elements that a token of a block draws, estimated for inline tokens. */
export function elementsOf({ type, nesting, content }: Token): number {
  if (type === 'inline') return (content.match(marks)?.length ?? 0) / marksOfElement + elementsOfNote * (content.split('[^').length - 1)
  if (type === 'fence' || type === 'code_block') return elementsOfCode
  if (type === 'footnote_open') return elementsOfNote
  return nesting === -1 ? 0 : 1
}

export const exceedsRenderLimits = (blocks: readonly Block[]): boolean =>
  blocks.reduce((sum, { elements }) => sum + elements, 0) > maxElements
