/** Draws one block of an answer: its tokens, its tree of elements and its React elements. */
import type { Element, Root } from 'hast'
import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import type { Token } from 'markdown-it'
import { memo, type ReactElement, useState } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import { answerParser, type Definitions, noDefinitions } from '../streaming-markdown/answer-parser.ts'
import type { Block } from '../streaming-markdown/blocks.ts'
import { labelOf } from '../streaming-markdown/footnote-syntax.ts'
import { withSettledEnd } from '../streaming-markdown/open-end.ts'
import { type CitedSource, withCitations } from './citations.ts'
import { type Direction, directionOf, setDirections } from './directions.ts'
import { isClosed, languageOf, type Note, treeOf } from './element-tree.ts'
import { elements } from './elements.tsx'
import { FormulaOffset } from './formula-allowance.tsx'

/** Everything that the drawing of one block depends on. */
export type BlockInput = {
  readonly block: Block
  readonly definitions: Definitions
  /** The references to footnotes in the block, in order. */
  readonly notes: readonly Note[]
  readonly sources: readonly CitedSource[]
  readonly isGrowing: boolean
}

export const isSameInput = (before: BlockInput, after: BlockInput): boolean =>
  before.isGrowing === after.isGrowing &&
  before.sources === after.sources &&
  isSameBlock(before.block, after.block) &&
  before.notes.length === after.notes.length &&
  before.notes.every(({ number, times }, index) => after.notes[index]?.number === number && after.notes[index].times === times) &&
  (before.definitions === after.definitions || isDefinedAlike(after.block, before.definitions, after.definitions))

const isSameBlock = (before: Block, after: Block): boolean =>
  before === after ||
  (before.start === after.start &&
    before.source === after.source &&
    before.list?.isFirst === after.list?.isFirst &&
    before.list?.isLoose === after.list?.isLoose)

/** A label in brackets. The longest valid one has 999 characters (CommonMark 0.31, section 4.7). */
const label = /\[((?:[^[\]\\]|\\[\s\S]){1,999})\]/g

const labelsByBlock = new WeakMap<Block, readonly string[]>()

function labelsIn(block: Block): readonly string[] {
  const labels = labelsByBlock.get(block) ?? Array.from(block.source.matchAll(label), ([, name = '']) => name)
  labelsByBlock.set(block, labels)
  return labels
}

const isDefinedAlike = (block: Block, before: Definitions, after: Definitions): boolean =>
  labelsIn(block).every((name) => {
    const [one, other] = [before, after].map(({ references }) => references[answerParser.utils.normalizeReference(name)])
    const footnote = name.startsWith('^') ? labelOf(name.slice(1)) : null
    const isSameFootnote = footnote === null || before.footnotes.has(footnote) === after.footnotes.has(footnote)
    return one?.href === other?.href && one?.title === other?.title && isSameFootnote
  })

/** The source as it is shown: while the text grows, its unfinished end is settled. */
const shownText = ({ block, isGrowing }: Pick<BlockInput, 'block' | 'isGrowing'>): string =>
  isGrowing ? withSettledEnd(block.source.trimEnd()) : block.source

/** The parser adds the definitions inside of the block. */
export const tokensOf = (source: string, { references, footnotes }: Definitions): readonly Token[] =>
  answerParser.parse(source, { references: { ...references }, footnotes: new Set(footnotes) })

type Fence = { readonly code: string; readonly language: string; readonly isClosed: boolean }

/** Null unless the block is one fence. Growing code is not parsed with its settled end. */
export function fenceIn(source: string): Fence | null {
  if (!/^ {0,3}(?:```|~~~)/.test(source)) return null
  const tokens: Token[] = []
  answerParser.block.parse(source, answerParser, noDefinitions(), tokens)
  const [token] = tokens
  if (token?.type !== 'fence' || tokens.length > 1) return null
  return { code: token.content.replace(/\n$/, ''), language: languageOf(token), isClosed: isClosed(token) }
}

export function blockTree(input: BlockInput): Root {
  const tokens = tokensOf(shownText(input), input.definitions)
  if (input.block.list?.isLoose) loosen(tokens)
  const notes = input.notes.values()
  const tree = treeOf(tokens, {
    citationsIn: (inline) => withCitations(inline, input.sources),
    noteOf: (label) => notes.next().value ?? { id: label, number: 0, times: 1 },
  })
  if (input.isGrowing) addCaret(tree)
  return tree
}

/** Items of a loose list have paragraphs, even if those of this block are tight. */
function loosen(tokens: readonly Token[]): void {
  const end = tokens.findIndex(({ type, level }) => level === 0 && /_list_close$/.test(type))
  for (const token of tokens.slice(0, end)) if (token.level === 2 && /^paragraph_/.test(token.type)) token.hidden = false
}

export const drawn = (tree: Root | Element): ReactElement =>
  toJsxRuntime(tree, { Fragment, jsx, jsxs, components: elements, ignoreInvalidStyle: true, passKeys: true, passNode: true })

/** The numbers of the sources that a text cites. */
export function citedIn(source: string, definitions: Definitions, sources: readonly CitedSource[]): readonly number[] {
  return tokensOf(source, definitions)
    .flatMap(({ children }) => withCitations(children ?? [], sources))
    .flatMap(({ type, meta }) => (type === 'citation' ? [(meta as CitedSource).number] : []))
}

const prose = new Set(['p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const containers = new Set([...prose, 'ul', 'ol', 'blockquote'])

/** Adds a caret at the end of a growing text, if its last line is prose. */
function addCaret(tree: Root): void {
  let end: Root | Element = tree
  for (;;) {
    const last: Root['children'][number] | undefined = end.children.findLast(({ type }) => type === 'element')
    if (last?.type !== 'element' || !containers.has(last.tagName)) break
    end = last
  }
  if (end.type === 'element' && prose.has(end.tagName))
    end.children.push({ type: 'element', tagName: 'span', properties: { className: ['md-caret'] }, children: [] })
}

/*
 * Draws the blocks of one list inside one element. A finished block is drawn again only if its input or the direction of the list changes; its
 * block says if the list is loose.
 */

type ListViewProps = { readonly inputs: readonly BlockInput[] }

export const ListView = memo(
  function ListView({ inputs }: ListViewProps) {
    const [drawBlocks] = useState(listDrawer)
    return drawBlocks(shownInputs(inputs))
  },
  (before, after) =>
    before.inputs.length === after.inputs.length &&
    before.inputs.every((input, index) => {
      const next = after.inputs[index]
      return next !== undefined && isSameInput(input, next)
    }),
)

/** Omits a last block that is only an undecided marker; the block before it then counts as growing. */
function shownInputs(inputs: readonly BlockInput[]): readonly BlockInput[] {
  const last = inputs.at(-1)
  if (!last?.isGrowing || shownText(last) !== '') return inputs
  const before = inputs.at(-2)
  return before ? [...inputs.slice(0, -2), { ...before, isGrowing: true }] : []
}

type CachedBlock = { readonly input: BlockInput; readonly tree: Root }
type CachedItems = { readonly tree: Root; readonly direction: Direction; readonly items: ReactElement; readonly below: ReactElement | null }

function listDrawer() {
  let blocks: readonly CachedBlock[] = []
  let drawnItems: readonly CachedItems[] = []
  return (inputs: readonly BlockInput[]): ReactElement => {
    blocks = inputs.map((input, index) => {
      const cached = blocks[index]
      return cached && isSameInput(cached.input, input) ? cached : { input, tree: blockTree(input) }
    })
    const trees = blocks.map(({ tree }) => tree)
    const direction = directionIn(trees)
    drawnItems = trees.map((tree, index) => {
      const cached = drawnItems[index]
      return cached?.tree === tree && cached.direction === direction ? cached : { tree, direction, ...drawnList(tree, direction) }
    })
    const offset = (index: number, content: ReactElement) => {
      const start = inputs[index]?.block.start ?? 0
      return (
        <FormulaOffset key={start} start={start}>
          {content}
        </FormulaOffset>
      )
    }
    const items = drawnItems.map((cached, index) => offset(index, cached.items))
    const below = drawnItems.at(-1)?.below
    const list = trees[0]?.children.find((node) => node.type === 'element')
    const dir = direction === 'ltr' ? undefined : direction
    const start = list?.properties.start
    return (
      <>
        {list?.tagName === 'ol' ? (
          <ol start={start === undefined ? undefined : Number(start)} dir={dir}>
            {items}
          </ol>
        ) : list?.tagName === 'ul' ? (
          <ul dir={dir}>{items}</ul>
        ) : (
          // An unfinished marker may be drawn as text.
          items
        )}
        {below && offset(drawnItems.length - 1, below)}
      </>
    )
  }
}

/** Of the first letter. */
function directionIn(trees: readonly Root[]): Direction {
  for (const { children } of trees) {
    const [list] = children
    const direction = list?.type === 'element' ? directionOf(list) : null
    if (direction) return direction
  }
  return 'ltr'
}

/** The items of the list at the start of a block, and what is below it. */
function drawnList(tree: Root, direction: Direction): Pick<CachedItems, 'items' | 'below'> {
  const [first, ...others] = tree.children
  const isList = first?.type === 'element' && /^[uo]l$/.test(first.tagName)
  const items: Root = isList ? { type: 'root', children: first.children } : tree
  const below: Root = { type: 'root', children: isList ? others : [] }
  setDirections(items, direction)
  setDirections(below)
  return { items: drawn(items), below: below.children.length > 0 ? drawn(below) : null }
}
