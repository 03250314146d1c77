/** Plugins for one block of a top-level list. Each block renders its items; `list-view.tsx` renders the element of the list once. */
import type { Element, Root as HtmlRoot } from 'hast'
import type { List, Root } from 'mdast'
import { type Direction, directionOf } from './directions.ts'

/** Properties of a whole list that its items depend on. */
export type ListStyle = {
  /** True if one item is loose or a blank line separates two items. Every item then has paragraphs. */
  readonly isLoose: boolean
  readonly direction: Direction
}

/** What one block contributes to its list. */
export type ListSummary = {
  readonly tagName: string
  readonly start: number | undefined
  readonly isLoose: boolean
  readonly isTaskList: boolean
  /** Null if the block contains no letters. */
  readonly direction: Direction | null
  /** True if other elements follow the list in its block. */
  readonly hasContentBelow: boolean
}

const isListElement = (node: HtmlRoot['children'][number]): node is Element =>
  node.type === 'element' && (node.tagName === 'ul' || node.tagName === 'ol')

const isLoose = ({ spread, children }: List): boolean => spread === true || children.some((item) => item.spread)

/** The two plugins that leave only the items of the list at the start of a block. `summary` returns null until both have run. */
export function listPlugins(style: ListStyle) {
  let summary: ListSummary | null = null
  let isBlockLoose = false
  return {
    summary: () => summary,
    /** A remark plugin. */
    applyLooseness: () => (tree: Root) => {
      const list = tree.children.find((node) => node.type === 'list')
      if (!list) return
      isBlockLoose = isLoose(list)
      list.spread ||= style.isLoose
    },
    /** A rehype plugin. */
    unwrap: () => (tree: HtmlRoot) => {
      const list = tree.children.find(isListElement)
      if (!list) return
      const { tagName, properties } = list
      summary = {
        tagName,
        // mdast-util-to-hast sets a number.
        start: properties.start as number | undefined,
        isLoose: isBlockLoose,
        isTaskList: properties.className !== undefined,
        direction: directionOf(list),
        hasContentBelow: tree.children.findLast(({ type }) => type === 'element') !== list,
      }
      tree.children = list.children
    },
  }
}

/** A rehype plugin: removes the list at the start of a block and keeps what follows it. */
export const belowList = () => (tree: HtmlRoot) => {
  tree.children = tree.children.slice(tree.children.findIndex(isListElement) + 1)
}
