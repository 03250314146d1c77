/**
 * Splits a growing Markdown text into top-level blocks, so that finished blocks rarely render again (README.md). A long list is divided into
 * several blocks of items.
 *
 * Invariants: the block sources, joined by line breaks, are the text. Rendering each block alone (with the definitions it needs, see
 * definitions.ts) equals rendering the whole text; the blocks of one list share its element and its style. While the text grows by whole
 * lines, finished blocks keep their identity, unless the whole text becomes one block. `splitBlocks` parses only new lines.
 */
import { isList, type Mode, step } from './block-modes.ts'
import { type Fence, fenceAt, footnoteAt, isBlank, nestedFootnote } from './lines.ts'

export type Block = {
  /** Start offset in the text; identifies the block. */
  readonly start: number
  readonly source: string
  /** Set when the whole block is one fenced code block. */
  readonly fence: Fence | null
  /** The source contains a possible reference definition. */
  readonly defines: boolean
  /** The source starts with a list: its first items, or items that continue the list of the previous block. */
  readonly list: 'first' | 'next' | null
}

/** Chosen: the first item after this many characters starts another block. With 1,000, an update takes a quarter longer to parse. */
const listBlockChars = 500

type OpenBlock = { readonly openStart: number } & Pick<Block, 'defines' | 'list'>

/** State after the last line break. */
type Progress = OpenBlock & {
  readonly offset: number
  readonly mode: Mode
  readonly finished: readonly Block[]
  /** The next line may continue a footnote in the open quote or item. */
  readonly isInFootnote: boolean
}

type Split = {
  readonly text: string
  readonly blocks: readonly Block[]
  readonly progress: Progress
}

const atStart: Progress = {
  offset: 0,
  mode: { kind: 'closed' },
  finished: [],
  openStart: 0,
  defines: false,
  list: null,
  isInFootnote: false,
}

export const emptySplit: Split = { text: '', blocks: [], progress: atStart }

const normalized = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)

/** `previous` is the split of an earlier state of the same text; any other split is ignored. */
export const splitBlocks = (previous: Split, rawText: string): Split => {
  const text = normalized(rawText)
  if (text === previous.text) return previous
  const lineEnd = text.lastIndexOf('\n') + 1
  // `slice` and `===`, because `startsWith` compares character by character: 0.1 ms at 200 KB.
  const isGrown = text.slice(0, previous.text.length) === previous.text
  const progress = readLines(isGrown ? previous.progress : atStart, text, lineEnd)
  // The unfinished line is read but not stored: the next characters may change its meaning.
  const current = lineEnd < text.length ? readLines(progress, text, text.length) : progress
  return { text, progress, blocks: blocksOf(current, text) }
}

/** The blocks of a growing text. Keeps the previous split as a cache; the result does not depend on it. */
export const blockSplitter = (): ((text: string) => readonly Block[]) => {
  let split = emptySplit
  return (text) => {
    split = splitBlocks(split, text)
    return split.blocks
  }
}

const blocksOf = (progress: Progress, text: string): readonly Block[] => {
  if (text === '') return []
  const { finished, mode, defines } = progress
  // The rest of the text may define references in places that cannot be told apart from code.
  const undecided = mode.kind === 'rest' && defines && finished.length > 0
  if (mode.kind === 'whole' || undecided) return [{ start: 0, source: text, fence: null, defines: false, list: null }]
  const end = keepsTrailingBlanks(mode) ? text.length : contentEnd(text, progress.openStart, text.length)
  return [...finished, blockAt(progress, text, end)]
}

/** Blank lines at the end may belong to open code. Code may be open in a `rest` and in a list that contains an opaque block. */
const keepsTrailingBlanks = (mode: Mode): boolean =>
  mode.kind === 'fence' || mode.kind === 'rest' || mode.kind === 'indented' || (mode.kind === 'list' && mode.containsOpaqueBlock)

/** The end of the last non-blank line. Trailing blank lines are excluded, so that they do not render a finished block again. */
const contentEnd = (text: string, start: number, end: number): number => {
  let at = end
  while (at > start) {
    const lineStart = text.lastIndexOf('\n', at - 1) + 1
    if (lineStart <= start || !isBlank(text.slice(lineStart, at))) return at
    at = lineStart - 1
  }
  return end
}

/** `mode`: after the line. True if the line certainly starts a footnote in a quote or in an item of a top-level list. */
const isContainedFootnote = (line: string, mode: Mode): boolean => {
  if (mode.kind === 'quote') return !mode.containsOpaqueBlock && /^ {0,3}> {0,4}\[\^/.test(line)
  if (mode.kind !== 'list' || !isList(mode) || mode.containsOpaqueBlock || mode.maybeClosed) return false
  const column = line.search(/[^ ]/)
  if (column < mode.contentColumn) return /^ *(?:[-*+]|\d{1,9}[.)]) {1,4}\[\^/.test(line)
  return column < mode.contentColumn + 4 && line.startsWith('[^', column)
}

const readLines = (before: Progress, text: string, end: number): Progress => {
  let { offset, mode, openStart, defines, list, isInFootnote } = before
  const finished = [...before.finished]
  while (offset < end) {
    const newline = text.indexOf('\n', offset)
    const line = text.slice(offset, newline === -1 ? end : newline)
    const { mode: after, starts } = step(mode, line)
    const begins = starts === 'block' || (starts === 'item' && list !== null && offset - openStart > listBlockChars)
    const isVerbatim = (mode.kind === 'fence' || mode.kind === 'math') && after === mode
    // Blank lines before the first block belong to it.
    if (begins && text.slice(openStart, offset).trim() !== '') {
      finished.push(blockAt({ openStart, defines, list }, text, mode.kind === 'indented' ? offset : contentEnd(text, openStart, offset)))
      openStart = offset
      defines = false
    }
    if (begins) list = starts === 'item' ? 'next' : isList(after) ? 'first' : null
    mode = after
    if (starts) isInFootnote = false
    if (!isVerbatim && line.includes('[^')) {
      const marker = nestedFootnote.exec(line)?.[0] ?? ''
      const isContained = marker !== '' && isContainedFootnote(line, after)
      isInFootnote ||= isContained
      // References in the content of a footnote are numbered after all others, so it must be known where the content ends.
      const isUnclear = isInFootnote ? line.includes('[^', isContained ? marker.length : 0) : marker !== '' && !(begins && footnoteAt(line))
      if (isUnclear) mode = { kind: 'whole' }
    }
    if (!isVerbatim && line.includes(']:')) defines = true
    offset = newline === -1 ? end : newline + 1
  }
  return { offset, mode, finished, openStart, defines, list, isInFootnote }
}

const blockAt = ({ openStart, defines, list }: OpenBlock, text: string, end: number): Block => {
  const source = text.slice(openStart, end)
  const lineEnd = source.indexOf('\n')
  const fence = fenceAt(lineEnd === -1 ? source : source.slice(0, lineEnd))
  return { start: openStart, source, fence, defines: defines && fence === null, list }
}
