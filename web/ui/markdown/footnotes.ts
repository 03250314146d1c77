/** Footnotes are numbered across the text, in the order of their first references, and drawn below it. */
import type { Element, ElementContent } from 'hast'
import type { Token } from 'markdown-it'
import type { Definitions } from '../streaming-markdown/answer-parser.ts'
import type { Block } from '../streaming-markdown/blocks.ts'
import { type CitedSource, withCitations } from './citations.ts'
import { tokensOf } from './drawn-block.tsx'
import { type Note, referenceId, treeOf } from './element-tree.ts'
import { t } from './texts/en.ts'

export class NoteCounter {
  /** Labels by number. */
  readonly order: string[] = []
  readonly #times = new Map<string, number>()

  next(label: string): Note {
    const times = this.timesOf(label) + 1
    if (times === 1) this.order.push(label)
    this.#times.set(label, times)
    return { id: idOf(label), number: this.order.indexOf(label) + 1, times }
  }

  timesOf(label: string): number {
    return this.#times.get(label) ?? 0
  }
}

const idOf = (label: string): string => encodeURI(label.toLowerCase().toWellFormed())

/** The references of a block, without those in the footnotes that it defines. */
function referencesIn(block: Block, definitions: Definitions): readonly string[] {
  if (!block.source.includes('[^')) return []
  const labels: string[] = []
  let footnotes = 0
  for (const { type, children } of tokensOf(block.source, definitions)) {
    if (type === 'footnote_open') footnotes += 1
    if (type === 'footnote_close') footnotes -= 1
    if (footnotes > 0) continue
    for (const child of children ?? []) if (child.type === 'footnote_reference') labels.push(String(child.meta?.label))
  }
  return labels
}

/** The labels of all references outside of footnotes. Keeps those of unchanged blocks. */
export function referenceReader() {
  let cached = new WeakMap<Block, readonly string[]>()
  let footnotes: Definitions['footnotes'] | null = null
  return (blocks: readonly Block[], definitions: Definitions): readonly (readonly string[])[] => {
    if (definitions.footnotes.size === 0) return []
    if (footnotes !== definitions.footnotes) cached = new WeakMap()
    footnotes = definitions.footnotes
    return blocks.map((block) => {
      const labels = cached.get(block) ?? referencesIn(block, definitions)
      cached.set(block, labels)
      return labels
    })
  }
}

/** The notes of each block. */
export function notesOf(references: readonly (readonly string[])[]): readonly (readonly Note[])[] {
  const counter = new NoteCounter()
  return references.map((labels) => labels.map((label) => counter.next(label)))
}

export const definesFootnote = ({ source }: Block): boolean => /\[\^[^\][\s]+\]:/.test(source)

/** The section of the footnotes that the text refers to; null without one. `blocks`: those that define footnotes. */
export function footnoteSection(
  references: readonly string[],
  blocks: readonly Block[],
  definitions: Definitions,
  sources: readonly CitedSource[],
): Element | null {
  const counter = new NoteCounter()
  for (const label of references) counter.next(label)
  if (counter.order.length === 0) return null
  const contents = contentsOf(blocks, definitions)
  const drawnContents: ElementContent[][] = []
  // The content of a footnote may refer to more footnotes.
  for (let index = 0; index < counter.order.length; index += 1) {
    const tokens = contents.get(counter.order[index] ?? '') ?? []
    const { children } = treeOf(tokens, {
      citationsIn: (inline) => withCitations(inline, sources),
      noteOf: (label) => counter.next(label),
    })
    drawnContents.push(children as ElementContent[])
  }
  const items = counter.order.map((label, index) => itemOf(label, index + 1, counter.timesOf(label), drawnContents[index] ?? []))
  return elementOf('section', { className: ['footnotes'] }, [
    elementOf('h2', { className: ['sr-only'], id: 'footnote-label' }, [{ type: 'text', value: t('footnotes') }]),
    elementOf('ol', {}, items),
  ])
}

/** The tokens of each footnote. The first definition of a label counts. */
function contentsOf(blocks: readonly Block[], definitions: Definitions): ReadonlyMap<string, readonly Token[]> {
  const contents = new Map<string, readonly Token[]>()
  for (const { source } of blocks) {
    const tokens = tokensOf(source, definitions)
    for (const [index, { type, level, meta }] of tokens.entries()) {
      if (type !== 'footnote_open' || contents.has(String(meta?.label))) continue
      const end = tokens.findIndex((token, at) => at > index && token.type === 'footnote_close' && token.level === level)
      contents.set(String(meta?.label), tokens.slice(index + 1, end))
    }
  }
  return contents
}

function itemOf(label: string, number: number, times: number, children: ElementContent[]): Element {
  const id = idOf(label)
  const links = Array.from({ length: times }, (_, index): ElementContent[] => {
    const mark: ElementContent[] = [{ type: 'text', value: '↩' }]
    if (index > 0) mark.push(elementOf('sup', {}, [{ type: 'text', value: String(index + 1) }]))
    const reference = index === 0 ? String(number) : `${number}-${index + 1}`
    const properties = { href: `#${referenceId(id, index + 1)}`, ariaLabel: t('backToReference', { reference }) }
    return [{ type: 'text', value: ' ' }, elementOf('a', properties, mark)]
  }).flat()
  const last = children.at(-1)
  if (last?.type === 'element' && last.tagName === 'p') last.children.push(...links)
  else children.push(...links.slice(1))
  return elementOf('li', { id: `user-content-fn-${id}` }, children)
}

const elementOf = (tagName: string, properties: Element['properties'], children: ElementContent[]): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
})
