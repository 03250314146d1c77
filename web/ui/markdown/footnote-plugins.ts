/** Plugins that number the footnotes of one block as in the whole text, and that separate the section of footnotes from the blocks. */
import type { ElementContent, Root as HastRoot, RootContent } from 'hast'
import type { Node, Root } from 'mdast'

interface EarlierFootnotes extends Node {
  readonly type: 'earlierFootnotes'
  readonly labels: readonly string[]
}

declare module 'mdast' {
  interface RootContentMap {
    earlierFootnotes: EarlierFootnotes
  }
}

/** A remark plugin: counts the references of earlier blocks. `labels` are separated by spaces. */
export const earlierFootnotes = (labels: string) => (tree: Root) => {
  tree.children.unshift({ type: 'earlierFootnotes', labels: labels.split(' ').filter((label) => label !== '') })
}

type Counting = { readonly footnoteOrder: string[]; readonly footnoteCounts: Map<string, number> }

export const footnoteHandlers = {
  earlierFootnotes: ({ footnoteOrder, footnoteCounts }: Counting, { labels }: EarlierFootnotes): undefined => {
    for (const label of labels) {
      const count = footnoteCounts.get(label) ?? 0
      if (count === 0) footnoteOrder.push(label)
      footnoteCounts.set(label, count + 1)
    }
  },
}

const isSection = (node: RootContent | ElementContent): boolean =>
  node.type === 'element' && node.tagName === 'section' && node.properties.dataFootnotes === true

/** Rehype plugins. */
export const withoutSection = () => (tree: HastRoot) => {
  tree.children = tree.children.filter((node) => !isSection(node))
}

export const onlySection = () => (tree: HastRoot) => {
  tree.children = tree.children.filter(isSection)
}
