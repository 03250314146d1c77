/**
 * Footnotes are numbered across the text, in the order of their first references, and rendered after it. A block is rendered with the
 * references before it, which decide its numbers; one more block renders the section of all footnotes.
 */
import type { Block } from './blocks.ts'
import { footnoteAt } from './lines.ts'

export type Footnotes = {
  /** The labels that are referenced before a block, by the start of the block. Only blocks with references have an entry. */
  readonly before: ReadonlyMap<number, string>
  /** Markdown with all references and definitions. */
  readonly section: string
}

const reference = /\[\^([^\][\s]+)\]/g
const inlineCode = /`+[^`]*`+/g

const firstLine = ({ source }: Block): string => source.trimStart().split('\n', 1)[0] ?? ''

const isFootnote = (block: Block): boolean => block.defines && footnoteAt(firstLine(block)) !== null

const folded = (label: string): string => label.toLowerCase().toUpperCase()

/** Null for a text without footnotes, as almost every text is. */
export function footnotesOf(blocks: readonly Block[]): Footnotes | null {
  const definitions = blocks.filter(isFootnote)
  if (definitions.length === 0) return null
  const defined = new Set(definitions.map((block) => folded(/\[\^([^\][\s]+)\]/.exec(firstLine(block))?.[1] ?? '')))
  const before = new Map<number, string>()
  const references: string[] = []
  for (const block of blocks) {
    if (block.fence || !block.source.includes('[^') || isFootnote(block)) continue
    const used = Array.from(block.source.replace(inlineCode, '').matchAll(reference), ([, label = '']) => folded(label))
    const own = used.filter((label) => defined.has(label))
    if (own.length === 0) continue
    before.set(block.start, references.join(' '))
    references.push(...own)
  }
  const paragraph = references.map((label) => `[^${label}]`).join(' ')
  return { before, section: [paragraph, ...definitions.map(({ source }) => source)].join('\n\n') }
}
