/**
 * A remark plugin. HTML in an answer is never rendered as HTML: `<br>` becomes a line break, comments are removed, and every other tag is
 * shown as text.
 */
import type { Html, Nodes, Parent, Root } from 'mdast'

export const htmlAsText =
  () =>
  (tree: Root): void =>
    visit(tree)

const flowParents: readonly Nodes['type'][] = ['root', 'blockquote', 'listItem', 'footnoteDefinition']

const visit = (parent: Parent): void => {
  const isFlow = flowParents.includes(parent.type as Nodes['type'])
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'html') return replaced(child, isFlow)
    if ('children' in child) visit(child)
    return [child]
  })
}

const replaced = ({ value, position }: Html, isFlow: boolean): Parent['children'] => {
  const text = value.trim()
  if (/^<!--[\s\S]*-->$/.test(text)) return []
  if (/^<br *\/?>$/i.test(text)) return isFlow ? [] : [{ type: 'break' }]
  const node = { type: 'text', value: isFlow ? text : value } as const
  return isFlow ? [{ type: 'paragraph', children: [node], ...(position && { position }) }] : [node]
}
