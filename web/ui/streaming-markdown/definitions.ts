/**
 * Reference definitions (`[label]: url`) apply across blocks, in both directions. A block that uses a label is parsed with the blocks that
 * define it in front; `withoutPrepended` then removes their content from the tree. Each such block parses them again, so the number of
 * definitions per label and the total number of characters are limited.
 */
import type { Nodes, Root } from 'mdast'
import type { Block } from './blocks.ts'
import { isBlank } from './lines.ts'
import { exceedsParserLimits } from './markdown-limits.ts'
import { memoByObject } from './memo-by-object.ts'

/** Ends any open block and renders nothing: an HTML comment. */
const separator = '\n\n<!---->\n\n'

/** A possible definition of a label, with the start of its block in the text. */
type PossibleDefinition = { readonly start: number; readonly source: string; readonly isSure: boolean }

export type Labels = {
  /** Possible definitions of each label, up to the first certain one, because later ones do not count, and at most `maxPossible`. */
  readonly possible: ReadonlyMap<string, readonly PossibleDefinition[]>
  readonly allowance: Allowance
}

/** In characters; `granted` by the start of the block that needs them. */
type Allowance = { remaining: number; readonly granted: Map<number, number> }

/**
 * The longest valid label (CommonMark 0.31, section 4.7). Without a limit, each bracket in a row of escaped ones would start a new scan.
 */
const label = '\\[((?:[^[\\]\\\\]|\\\\[\\s\\S]){1,999})\\]'
const definedPattern = new RegExp(`${label}:`, 'g')
const usedPattern = new RegExp(label, 'g')

/** Certainly one definition in every context: on a separate line, without ambiguous characters. A line below a footnote belongs to it. */
const plainDefinition = /^ {0,3}\[(?!\^)[^[\]\\]{0,999}[^[\]\\\s][^[\]\\]{0,999}\]:[ \t]*[^\s<>()\\]+(?:[ \t]+"[^"\\]*")?[ \t]*$/

/** Chosen, in characters: many times the needs of an answer with a source list, and half a second of parsing. */
export const maxPrependedChars = 64_000

/** Possible definitions of one label. Chosen: a text with more than one is rare, and each use of the label costs as many steps. */
export const maxPossible = 8

/** As CommonMark compares labels: white space collapsed, case folded. */
const folded = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase().toUpperCase()

const labelsIn = (pattern: RegExp, text: string): readonly string[] => [
  ...new Set(Array.from(text.matchAll(pattern), (match) => folded(match[1] ?? ''))),
]

export const labelsOf = (blocks: readonly Block[]): Labels => {
  const possible = new Map<string, PossibleDefinition[]>()
  for (const block of blocks) {
    if (!block.defines) continue
    for (const { piece, names } of definingPieces(block)) {
      for (const name of names) {
        const pieces = possible.get(name)
        if (!pieces) possible.set(name, [piece])
        else if (pieces.length < maxPossible && pieces.at(-1)?.isSure === false) pieces.push(piece)
      }
    }
  }
  return { possible, allowance: { remaining: maxPrependedChars, granted: new Map() } }
}

const linesOf = ({ source }: Pick<Block, 'source'>): readonly string[] => source.split('\n').filter((line) => !isBlank(line))

/** Renders nothing, so it needs no definitions of other blocks. */
const isOnlyDefinitions = (block: Pick<Block, 'source' | 'defines'>): boolean =>
  block.defines && linesOf(block).every((line) => plainDefinition.test(line))

type DefiningPiece = { readonly piece: PossibleDefinition; readonly names: readonly string[] }

/** Cached, because a growing text asks again with each new block. */
const definingPieces = memoByObject((block: Block): readonly DefiningPiece[] =>
  piecesOf(block).map((piece) => ({ piece, names: labelsIn(definedPattern, piece.source) })),
)

/** Single lines if each line is a definition, otherwise the whole block. A block that is too much is never parsed, so it defines nothing. */
function piecesOf(block: Block): readonly PossibleDefinition[] {
  const { start, source } = block
  if (isOnlyDefinitions(block)) return linesOf(block).map((line) => ({ start, source: line, isSure: true }))
  return exceedsParserLimits(source) ? [] : [{ start, source, isSure: false }]
}

const labelsUsedIn = memoByObject(({ source }: Pick<Block, 'source'>) => labelsIn(usedPattern, source))

/** The source to prepend to this block; empty for almost every block. */
export const prependedDefinitions = (block: Omit<Block, 'list'>, { possible, allowance }: Labels): string => {
  if (possible.size === 0 || block.fence || !block.source.includes('[') || isOnlyDefinitions(block)) return ''
  const needed = new Set(labelsUsedIn(block).flatMap((name) => possible.get(name) ?? []))
  const foreign = [...needed].filter(({ start }) => start !== block.start)
  if (foreign.length === 0) return ''
  // A block's own definitions at most double its length, so only those of other blocks are counted.
  const chars = foreign.reduce((sum, { source }) => sum + source.length + separator.length, 0)
  if (!isGranted(allowance, block.start, chars)) return ''
  // The first definition of a label wins, so the block's definitions are sorted among the prepended ones.
  const inOrder = [...needed].toSorted((one, other) => one.start - other.start)
  return inOrder.map(({ source }) => source + separator).join('')
}

/** In rendering order. A block that exceeds the allowance keeps its brackets as text. */
function isGranted(allowance: Allowance, start: number, chars: number): boolean {
  const more = chars - (allowance.granted.get(start) ?? 0)
  if (more > allowance.remaining) return false
  allowance.remaining -= more
  allowance.granted.set(start, chars)
  return true
}

/** A remark plugin: keeps only the definitions of the first `length` characters. */
export const withoutPrepended =
  ({ length }: { length: number }) =>
  (tree: Root): void => {
    if (length === 0) return
    const kept = tree.children.filter((node) => startOf(node) >= length)
    const definitions = tree.children.filter((node) => startOf(node) < length).flatMap(definitionsIn)
    tree.children = [...definitions, ...kept]
  }

const startOf = (node: Nodes): number => node.position?.start.offset ?? 0

const definitionsIn = (node: Nodes): Root['children'] => {
  if (node.type === 'definition' || node.type === 'footnoteDefinition') return [node]
  return 'children' in node ? node.children.flatMap(definitionsIn) : []
}
