/** A remark plugin. Tags in an answer are drawn or shown as text by the rules of tags.ts. No attribute reaches the page. */
import type { Nodes, Parent, PhrasingContent, Root } from 'mdast'
import { pairsOf, tagOf } from '../streaming-markdown/tags.ts'

export const htmlAsText =
  () =>
  (tree: Root): void =>
    visit(tree)

type Children = Parent['children']

const visit = (parent: Parent): void => {
  parent.children = parent.children.filter((child) => {
    if (!('children' in child)) return true
    visit(child)
    if (!child.children.some(isTag)) return true
    ;(child as Parent).children = drawn(child.children)
    return child.type !== 'paragraph' || !child.children.every(isEmpty)
  })
}

const isTag = ({ type }: Nodes): boolean => type === 'html'

/** A paragraph of comments and line breaks shows nothing. */
const isEmpty = (node: Nodes): boolean => node.type === 'break' || (node.type === 'text' && node.value.trim() === '')

function drawn(children: Children): Children {
  const tags = children.map((child) => (child.type === 'html' ? tagOf(child.value) : null))
  const pairs = pairsOf(tags)
  const drawnBetween = (start: number, end: number): Children => {
    const nodes: Children = []
    for (let at = start; at < end; at += 1) {
      const child = children[at]
      const tag = tags[at]
      const close = pairs.get(at)
      if (!child) continue
      if (child.type !== 'html') nodes.push(child)
      else if (tag?.kind === 'open' && close !== undefined) {
        nodes.push({ type: 'emphasis', data: { hName: tag.name }, children: drawnBetween(at + 1, close) as PhrasingContent[] })
        at = close
      } else if (tag?.kind === 'break') nodes.push({ type: 'break' })
      else if (tag?.kind !== 'comment') nodes.push({ type: 'text', value: child.value })
    }
    return nodes
  }
  return drawnBetween(0, children.length)
}
