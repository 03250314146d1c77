/**
 * Footnotes are numbered across the text, in the order of their first references, and rendered after it. A block is rendered with the
 * references before it, which decide its numbers; one more block renders the section of all footnotes.
 */
import type { Block } from './blocks.ts'
import { footnoteAt, isQuote, nestedFootnote } from './lines.ts'

export type Footnotes = {
  /** The labels that are referenced before a block, by the start of the block. Only blocks with references have an entry. */
  readonly before: ReadonlyMap<number, string>
  /** Markdown with all references, and the definitions outside of containers. */
  readonly section: string
  /** The blocks with definitions in quotes or items. They are prepended to the section. */
  readonly containers: string
}

const reference = /\[\^([^\][\s]+)\]/g
const inlineCode = /`+[^`]*`+/g

const firstLine = ({ source }: Block): string => source.trimStart().split('\n', 1)[0] ?? ''

const isFootnote = (block: Block): boolean => block.defines && footnoteAt(firstLine(block)) !== null

const nestedFootnotes = new RegExp(nestedFootnote, 'gm')

/** The footnotes in the quotes and items of a block. The section gets their content from the prepended definitions. */
const containedIn = (block: Block): readonly string[] =>
  block.defines && (block.list || isQuote(firstLine(block)))
    ? Array.from(block.source.matchAll(nestedFootnotes), ([, label = '']) => label)
    : []

/** The source without its code and without the labels of the footnotes that it defines. */
const proseOf = (block: Block): string => {
  const text = block.source.replace(inlineCode, '')
  return containedIn(block).length > 0 ? text.replace(nestedFootnotes, '') : text
}

const folded = (label: string): string => label.toLowerCase().toUpperCase()

/** Null for a text without footnotes, as almost every text is. */
export function footnotesOf(blocks: readonly Block[]): Footnotes | null {
  const definitions = blocks.filter(isFootnote)
  const containers = blocks.filter((block) => containedIn(block).length > 0)
  if (definitions.length + containers.length === 0) return null
  const labels = [...definitions.map((block) => nestedFootnote.exec(firstLine(block))?.[1] ?? ''), ...containers.flatMap(containedIn)]
  const defined = new Set(labels.map(folded))
  const before = new Map<number, string>()
  const references: string[] = []
  for (const block of blocks) {
    if (block.fence || !block.source.includes('[^') || isFootnote(block)) continue
    const used = Array.from(proseOf(block).matchAll(reference), ([, label = '']) => folded(label))
    const own = used.filter((label) => defined.has(label))
    if (own.length === 0) continue
    before.set(block.start, references.join(' '))
    references.push(...own)
  }
  const paragraph = references.map((label) => `[^${label}]`).join(' ')
  const sourceOf = (parts: readonly Block[]) => parts.map(({ source }) => source).join('\n\n')
  return { before, section: `${paragraph}\n\n${sourceOf(definitions)}`, containers: sourceOf(containers) }
}
