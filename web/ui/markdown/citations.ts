/**
 * A remark plugin: [1], [1][2] and [1, 2] become pills that lead to the sources of these numbers. A number without a source stays the text
 * it is, so an answer cannot point to what nobody fetched.
 */
import type { Link, Nodes, Parent, PhrasingContent, Root, Text } from 'mdast'

export type CitedSource = { readonly number: number; readonly title: string; readonly url: string; readonly site: string }

const groupPattern = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g

export const citations =
  (sources: readonly CitedSource[]) =>
  (tree: Root): void => {
    if (sources.length > 0) visit(tree, sources)
  }

/** The numbers that a text cites, in the order of their first mention. */
export const citedNumbers = (text: string): readonly number[] => [
  ...new Set([...text.matchAll(groupPattern)].flatMap(([, group = '']) => group.split(',').map(Number))),
]

function visit(parent: Parent, sources: readonly CitedSource[]): void {
  parent.children = parent.children.flatMap((child): Parent['children'] => {
    if (child.type === 'text') return cited(child, sources)
    if (child.type === 'link') return [linked(child, sources)]
    if ('children' in child && child.type !== 'linkReference') visit(child, sources)
    return [child]
  })
}

function cited(node: Text, sources: readonly CitedSource[]): PhrasingContent[] {
  const nodes: PhrasingContent[] = []
  let end = 0
  for (const match of node.value.matchAll(groupPattern)) {
    const pills = (match[1] ?? '').split(',').map((number) => pillFor(Number(number), sources))
    if (pills.every((pill) => pill === null)) continue
    // The space before a mark would let it begin a line.
    nodes.push({ type: 'text', value: node.value.slice(end, match.index).replace(/ $/, '\u00a0') })
    for (const pill of pills) if (pill) nodes.push(pill)
    end = match.index + match[0].length
  }
  if (end === 0) return [node]
  return [...nodes, { type: 'text', value: node.value.slice(end) }].filter(
    (part): part is PhrasingContent => part.type !== 'text' || part.value !== '',
  )
}

/** Some models write the address themselves: [1](https://…). */
function linked(node: Link, sources: readonly CitedSource[]): Nodes & PhrasingContent {
  const [only] = node.children
  const number = node.children.length === 1 && only?.type === 'text' ? /^\[?(\d{1,3})\]?$/.exec(only.value)?.[1] : undefined
  const source = sources.find((candidate) => candidate.number === Number(number) && candidate.url === node.url)
  return source ? pill(source) : node
}

const pillFor = (number: number, sources: readonly CitedSource[]): Link | null => {
  const source = sources.find((candidate) => candidate.number === number)
  return source ? pill(source) : null
}

const pill = ({ number, title, url, site }: CitedSource): Link => ({
  type: 'link',
  url,
  title: `${title} · ${site}`,
  data: { hProperties: { 'data-citation': String(number) } },
  children: [{ type: 'text', value: String(number) }],
})
