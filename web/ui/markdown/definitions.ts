/**
 * Reference definitions (`[label]: url`) reach across blocks, in both directions. A block that uses a label is rendered
 * behind the blocks that define it; `onlyAfter` then takes the borrowed blocks' content out of the tree again.
 */
import type { Nodes, Root } from 'mdast'
import type { Block } from './blocks.ts'

/** Ends any block that could run on, and leaves no trace: an HTML comment. */
const separator = '\n\n<!---->\n\n'

export type Labels = ReadonlyMap<Block, readonly string[]>

const labelPattern = /\[((?:[^[\]\\]|\\[\s\S])+)\]:/g

/** As CommonMark compares them: white space collapsed, case folded. */
const folded = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase().toUpperCase()

export const labelsOf = (blocks: readonly Block[]): Labels => {
  const labels = new Map<Block, readonly string[]>()
  for (const block of blocks) {
    if (!block.defines) continue
    labels.set(
      block,
      Array.from(block.source.matchAll(labelPattern), (match) => folded(match[1] ?? '').trim()),
    )
  }
  return labels
}

/** What has to stand before this block's source; empty for almost every block. */
export const borrowedFor = (block: Block, labels: Labels): string => {
  if (labels.size === 0 || block.fence || !block.source.includes('[')) return ''
  const text = folded(block.source).replace(/\[ | \]/g, (bracket) => bracket.trim())
  const lenders = Array.from(labels).filter(([, names]) => names.some((name) => text.includes(`[${name}]`)))
  if (lenders.every(([lender]) => lender === block)) return ''
  // The first definition of a label wins, so a block's own stand in their place among the borrowed ones.
  return lenders.map(([lender]) => lender.source + separator).join('')
}

/** A remark plugin: of the first `length` characters only the definitions stay. */
export const onlyAfter =
  ({ length }: { length: number }) =>
  (tree: Root): void => {
    if (length === 0) return
    const kept = tree.children.filter((node) => startOf(node) >= length)
    const lent = tree.children.filter((node) => startOf(node) < length).flatMap(definitionsIn)
    tree.children = [...lent, ...kept]
  }

const startOf = (node: Nodes): number => node.position?.start.offset ?? 0

const definitionsIn = (node: Nodes): Root['children'] => {
  if (node.type === 'definition') return [node]
  return 'children' in node ? node.children.flatMap(definitionsIn) : []
}
