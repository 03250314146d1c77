/** Plugins for a block of a long list. Each block renders its items, and the element of the list is rendered once for all blocks. */
import type { Element, Root as HtmlRoot } from 'hast'
import type { List, Root } from 'mdast'
import { type Direction, directionOf } from './directions.ts'

/** Properties of a whole list that its items depend on. */
export type ListStyle = {
  /** One loose item, or one blank line between items, gives every item its paragraphs. */
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
  /** More elements follow the list in its block. */
  readonly hasMore: boolean
}

const isListElement = (node: HtmlRoot['children'][number]): node is Element =>
  node.type === 'element' && (node.tagName === 'ul' || node.tagName === 'ol')

const isLoose = ({ spread, children }: List): boolean => spread === true || children.some((item) => item.spread)

/** Leaves only the items of the list at the start of a block. `summary` returns null until the plugins have run. */
export function listReader(style: ListStyle) {
  let summary: ListSummary | null = null
  let isLooseAlone = false
  return {
    summary: () => summary,
    /** A remark plugin. */
    loosen: () => (tree: Root) => {
      const list = tree.children.find((node) => node.type === 'list')
      if (!list) return
      isLooseAlone = isLoose(list)
      list.spread ||= style.isLoose
    },
    /** A rehype plugin. */
    unwrap: () => (tree: HtmlRoot) => {
      const list = tree.children.find(isListElement)
      if (!list) return
      const { tagName, properties } = list
      summary = {
        tagName,
        start: properties.start as number | undefined,
        isLoose: isLooseAlone,
        isTaskList: properties.className !== undefined,
        direction: directionOf(list),
        hasMore: tree.children.findLast(({ type }) => type === 'element') !== list,
      }
      tree.children = list.children
    },
  }
}

/** A rehype plugin: leaves what follows the list at the start of a block. */
export const belowList = () => (tree: HtmlRoot) => {
  tree.children = tree.children.slice(tree.children.findIndex(isListElement) + 1)
}
