/**
 * A remark plugin: [1], [1][2] and [1, 2] become pills that link to the numbered sources, and so does a link whose text is only numbers,
 * whatever its address. A number without a source stays text. A citation therefore links only to pages fetched for the answer. Links with
 * other text are unchanged.
 */
import type { Link, LinkReference, Nodes, Parent, PhrasingContent, Root, Text } from 'mdast'

export type CitedSource = {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly site: string
  readonly snippet?: string
}

const numbers = String.raw`\d{1,3}(?:\s*,\s*\d{1,3})*`
const groupPattern = new RegExp(String.raw`\[(${numbers})\]`, 'g')
/** As link text; models also write (1) and ¹ in links. */
const shownPattern = new RegExp(String.raw`^\s*[[(]?\s*(${numbers})\s*[\])]?\s*$`)
const labelPattern = /^\d{1,3}$/

export const citations =
  (sources: readonly CitedSource[]) =>
  (tree: Root): void => {
    if (sources.length > 0) new CitationTransformer(tree, sources).visit(tree)
  }

/** The numbers of the pills in a transformed tree. */
export function citedIn(node: Nodes): readonly number[] {
  const own = node.type === 'link' ? Number(node.data?.hProperties?.['data-citation'] ?? 0) : 0
  return [...(own > 0 ? [own] : []), ...('children' in node ? node.children.flatMap(citedIn) : [])]
}

class CitationTransformer {
  readonly #sources: ReadonlyMap<number, CitedSource>
  readonly #byAddress: ReadonlyMap<string, CitedSource>
  /** Addresses of `[1]: https://…` definitions by identifier. */
  readonly #defined: ReadonlyMap<string, string>

  constructor(tree: Root, sources: readonly CitedSource[]) {
    this.#sources = new Map(sources.map((source) => [source.number, source]))
    this.#byAddress = new Map(sources.toReversed().map((source) => [addressKey(source.url), source]))
    this.#defined = new Map(definitionsIn(tree).toReversed())
  }

  visit(parent: Parent): void {
    parent.children = parent.children.flatMap((child): Parent['children'] => {
      if (child.type === 'text') return this.#cited(child)
      if (child.type === 'link') return this.#linked(child, child.url)
      if (child.type === 'linkReference') return this.#referred(child)
      if ('children' in child) this.visit(child)
      return [child]
    })
  }

  #cited(node: Text): PhrasingContent[] {
    const nodes: PhrasingContent[] = []
    let end = 0
    for (const match of node.value.matchAll(groupPattern)) {
      const pills = this.#pillsFor(match[1] ?? '')
      if (pills.length === 0) continue
      // The space before a pill would allow a line break there.
      nodes.push({ type: 'text', value: node.value.slice(end, match.index).replace(/ $/, '\u00a0') }, ...pills)
      end = match.index + match[0].length
    }
    if (end === 0) return [node]
    return [...nodes, { type: 'text', value: node.value.slice(end) }].filter(
      (part): part is PhrasingContent => part.type !== 'text' || part.value !== '',
    )
  }

  /** Some models add the address, sometimes at the wrong number: an address that was fetched takes precedence. */
  #linked(node: Link | LinkReference, url: string): PhrasingContent[] {
    const shown = textIn(node)
    const group = shownPattern.exec(shown.normalize('NFKC'))?.[1]
    if (group === undefined) return [node]
    const pills = this.#pillsFor(group)
    if (pills.length === 0) return [{ type: 'text', value: shown }]
    const meant = this.#byAddress.get(addressKey(url))
    return meant ? [pill(meant)] : pills
  }

  /** [1][2] is also two citations if the answer ends with definitions of these numbers. */
  #referred(node: LinkReference): PhrasingContent[] {
    const { referenceType, identifier } = node
    if (referenceType === 'full' && labelPattern.test(identifier) && shownPattern.test(textIn(node)))
      return [textIn(node), identifier].flatMap((group) => this.#cited({ type: 'text', value: `[${group}]` }))
    const url = this.#defined.get(identifier)
    return url === undefined ? [node] : this.#linked(node, url)
  }

  #pillsFor(group: string): Link[] {
    const cited = group.split(',').map((number) => this.#sources.get(Number(number)))
    return cited.flatMap((source) => (source ? [pill(source)] : []))
  }
}

const pill = ({ number, title, url, site, snippet }: CitedSource): Link => ({
  type: 'link',
  url,
  title,
  data: { hProperties: { 'data-citation': String(number), 'data-site': site, 'data-snippet': snippet } },
  children: [{ type: 'text', value: String(number) }],
})

const definitionsIn = (node: Nodes): readonly (readonly [string, string])[] => {
  if (node.type === 'definition') return [[node.identifier, node.url]]
  return 'children' in node ? node.children.flatMap(definitionsIn) : []
}

const textIn = (node: Nodes): string => ('children' in node ? node.children.map(textIn).join('') : 'value' in node ? node.value : '')

/** Normalises spellings of one page: scheme, www., fragment and trailing slash are ignored. */
function addressKey(address: string): string {
  if (!URL.canParse(address)) return address
  const { host, pathname, search } = new URL(address)
  return `${host.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}${search}`
}
