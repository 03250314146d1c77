/**
 * Splits a growing Markdown text into top-level blocks by the parser that draws them. A long list is divided into blocks of items.
 *
 * A finished block and its definitions are kept. The parser reads again only what follows it: the top level of CommonMark has no other state.
 * A block is finished when the next one starts in a complete line. The result does not depend on the steps in which the text arrived.
 */
import type { Token } from 'markdown-it'
import { answerParser, type Definitions, noDefinitions } from './answer-parser.ts'
import { isBlank } from './answer-syntax.ts'

export type Block = {
  /** Start offset in the text; identifies the block. */
  readonly start: number
  readonly source: string
  readonly list: ListPart | null
  /** The number of its elements (`elementsOf`). */
  readonly elements: number
}

/** A block of items; the last one of a list may contain other blocks below. `isLoose`: an item of the whole list is loose, or a blank line separates two of its items. */
type ListPart = { readonly isFirst: boolean; readonly isLoose: boolean }

/** Chosen: the first item after this many characters starts another block. */
const listBlockChars = 500

/** Chosen: longer addresses do not open in every browser, and many links may repeat one. */
const maxReferenceChars = 2000

type Split = {
  readonly text: string
  readonly blocks: readonly Block[]
  /** The definitions of the whole text, and of its finished blocks. */
  readonly definitions: Definitions
  readonly finished: Finished
}

type Finished = {
  readonly text: string
  readonly blocks: readonly Block[]
  readonly definitions: Definitions
  /** The next block continues the list of the last one. */
  readonly isInList: boolean
}

const nothing: Finished = { text: '', blocks: [], definitions: noDefinitions(), isInList: false }
export const emptySplit: Split = { text: '', blocks: [], definitions: nothing.definitions, finished: nothing }

const normalized = (text: string): string =>
  text.includes('\r') || text.includes('\0') ? text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd') : text

/** `previous` is the split of an earlier state of the same text; any other split is ignored. */
export function splitBlocks(previous: Split, rawText: string): Split {
  const text = normalized(rawText)
  if (text === previous.text) return previous
  // `slice` and `===`, because `startsWith` compares character by character: 0.1 ms at 200 KB.
  const isGrown = text.slice(0, previous.text.length) === previous.text
  const before = isGrown ? previous.finished : nothing
  const lineEnd = text.lastIndexOf('\n') + 1
  const hasNewLine = !isGrown || lineEnd > previous.text.lastIndexOf('\n') + 1
  const finished = hasNewLine ? finish(before, text.slice(0, lineEnd)) : before
  const { blocks, definitions } = read(finished, text)
  return { text, blocks, definitions, finished }
}

/** The blocks of a growing text. Keeps the previous split as a cache; the result does not depend on it. */
export const blockSplitter = (): ((text: string) => Split) => {
  let split = emptySplit
  return (text) => {
    split = splitBlocks(split, text)
    return split
  }
}

/** Keeps all blocks but the last one. `text` ends with a line break. */
function finish(before: Finished, text: string): Finished {
  const { blocks, finishedEnd } = read(before, text)
  if (finishedEnd <= before.text.length) return before
  const kept = text.slice(0, finishedEnd)
  const defines = kept.includes(']:', before.text.length)
  const definitions = defines ? read(before, kept).definitions : before.definitions
  return { text: kept, blocks: blocks.slice(0, -1), definitions, isInList: blocks.at(-1)?.list?.isFirst === false }
}

type Read = Pick<Split, 'blocks' | 'definitions'> & {
  /** The end of the last block but one. What follows it is read again: the title of a definition may continue in the next lines. */
  readonly finishedEnd: number
}

function read(before: Finished, text: string): Read {
  const offset = before.text.length
  const source = text.slice(offset)
  const { references, footnotes } = before.definitions
  const definitions = { references: { ...references }, footnotes: new Set(footnotes) }
  const tokens: Token[] = []
  answerParser.block.parse(source, answerParser, definitions, tokens)
  for (const [label, { href }] of Object.entries(definitions.references))
    if (href.length > maxReferenceChars) delete definitions.references[label]
  const parts = partsOf(tokens, source, before.isInList)
  const blocks = parts.map(({ start, end, list, elements }) => ({
    start: offset + start,
    source: source.slice(start, end),
    list,
    elements,
  }))
  return {
    blocks: before.isInList ? withContinuedList(before, blocks) : [...before.blocks, ...blocks],
    definitions,
    finishedEnd: offset + (parts.at(-2)?.end ?? 0),
  }
}

const isFirst = ({ list }: Block): boolean => list?.isFirst === true

/** A list is loose or tight as a whole. */
function withContinuedList({ text, blocks: finished }: Finished, [next, ...others]: readonly Block[]): readonly Block[] {
  const isLoose = next?.list?.isLoose === true || finished.at(-1)?.list?.isLoose === true || /\n[ \t]*\n$/.test(text)
  const start = finished.findLastIndex(isFirst)
  const end = others.findIndex(({ list }) => list?.isFirst !== false)
  const own = end === -1 ? others : others.slice(0, end)
  const loosened = (block: Block): Block =>
    block.list && block.list.isLoose !== isLoose ? { ...block, list: { ...block.list, isLoose } } : block
  const list = [...finished.slice(start), ...(next ? [next] : []), ...own].map(loosened)
  return [...finished.slice(0, start), ...list, ...others.slice(own.length)]
}

type Part = { readonly start: number; readonly end: number } & Pick<Block, 'list' | 'elements'>

/** `isInList`: the first tokens continue a list. */
function partsOf(tokens: readonly Token[], source: string, isInList: boolean): readonly Part[] {
  const lines = linesOf(source)
  const parts: Part[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const first = index
    const { map, type } = tokens[index] as Token
    while (tokens[index]?.level !== 0 || tokens[index]?.nesting === 1) index += 1
    const [start, end] = [lines.at(map?.[0] ?? 0), lines.at(map?.[1] ?? 0)]
    const last = parts.at(-1)
    if (type === 'reference_definition') continue
    const own = tokens.slice(first, index + 1)
    const elements = sumOfElements(own)
    // Text after a formula starts in its last line.
    if (last && last.end > start) parts[parts.length - 1] = { ...last, end, elements: last.elements + elements }
    else if (type === 'bullet_list_open' || type === 'ordered_list_open') parts.push(...itemsOf(own, lines, isInList && first === 0))
    else parts.push({ start, end, list: null, elements })
  }
  return parts
}

const sumOfElements = (tokens: readonly Token[]): number => tokens.reduce((sum, token) => sum + elementsOf(token), 0)

/** The start of each line and of the end. */
function linesOf(source: string) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  const at = (line: number): number => starts[line] ?? source.length
  return { at, isBlank: (line: number): boolean => isBlank(source.slice(at(line), at(line + 1)).trimEnd()) }
}

/** Divides a list, but not behind items without a paragraph, which would not show that the list is loose. */
function itemsOf(list: readonly Token[], lines: ReturnType<typeof linesOf>, isContinued: boolean): readonly Part[] {
  const starts: number[] = []
  const elements: number[] = []
  let hasParagraph = false
  let isLoose = false
  let itemLine = 0
  for (const token of list) {
    const { type, level, map, hidden } = token
    const line = map?.[0] ?? 0
    if (type === 'list_item_open' && level === 1) {
      const start = lines.at(line)
      if (starts.length > 0 && lines.isBlank(line - 1)) isLoose = true
      const before = starts.at(-1)
      if (before === undefined || (hasParagraph && start - before > listBlockChars)) {
        starts.push(start)
        elements.push(0)
        hasParagraph = false
      }
      itemLine = line
    } else if (level === 2 && map) {
      if (type === 'paragraph_open') {
        hasParagraph = true
        isLoose ||= !hidden
      }
      isLoose ||= line > itemLine && lines.isBlank(line - 1)
    }
    if (elements.length > 0) elements[elements.length - 1] = (elements.at(-1) ?? 0) + elementsOf(token)
  }
  const end = lines.at(list[0]?.map?.[1] ?? 0)
  return starts.map((start, index) => ({
    start,
    end: starts[index + 1] ?? end,
    list: { isFirst: index === 0 && !isContinued, isLoose },
    elements: elements[index] ?? 0,
  }))
}

/* Finds text with too many elements. Such text is shown as plain text. Parsing takes at most a second for 84 KB of any text. */

/**
 * Chosen: 1.8 seconds of drawing on a slow machine: 6,500 list items, or 12,000 cells of tables. Drawing is linear (0.14 ms for an element), and an
 * answer of 84 KB can hold 28,000 paragraphs of one letter.
 */
const maxElements = 13_000

/** A code block has a header with buttons. */
const elementsOfCode = 13

/** A reference to a footnote, or its definition, which is parsed again for the section below the text. Chosen: 1,000 are too many. */
const elementsOfNote = 13

/** Chosen: emphasis has two to six marks. */
const marksOfElement = 3
const marks = /[*_~`[<]/g

/** The number of elements that a token of a block draws, estimated for inline tokens. */
function elementsOf({ type, nesting, content }: Token): number {
  if (type === 'inline') return (content.match(marks)?.length ?? 0) / marksOfElement + elementsOfNote * (content.split('[^').length - 1)
  if (type === 'fence' || type === 'code_block') return elementsOfCode
  if (type === 'footnote_open') return elementsOfNote
  return nesting === -1 ? 0 : 1
}

export const exceedsRenderLimits = (blocks: readonly Block[]): boolean =>
  blocks.reduce((sum, { elements }) => sum + elements, 0) > maxElements
