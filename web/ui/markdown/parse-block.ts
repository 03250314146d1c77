/** Parses one block of Markdown with the plugins for answers. */
import type { Element, Root as HtmlRoot } from 'hast'
import type { Root } from 'mdast'
import type { ReactElement } from 'react'
import ReactMarkdown, { type Options } from 'react-markdown'
import remarkMath from 'remark-math'
import { withoutPrepended } from '../streaming-markdown/definitions.ts'
import { exceedsParserLimits } from '../streaming-markdown/markdown-limits.ts'
import { mayHaveMath } from '../streaming-markdown/math-rules.ts'
import { withSettledEnd } from '../streaming-markdown/open-end.ts'
import { type CitedSource, citations, citedIn } from './citations.ts'
import { closedDiagrams } from './diagram.tsx'
import { directions } from './directions.ts'
import { elements } from './elements.tsx'
import { earlierFootnotes, footnoteHandlers, onlySection, withoutSection } from './footnote-plugins.ts'
import { htmlAsText } from './html-as-text.ts'
import { belowList, type ListStyle, type ListSummary, listPlugins } from './list-plugins.ts'
import { formulas, normalizeMath } from './math.ts'
import { addressLinks, answerSyntax } from './syntax.ts'
import { t } from './texts/en.ts'

type Plugins = NonNullable<Options['remarkPlugins']>

/** Everything that the rendering of one block depends on. */
export type BlockInput = {
  /** Start offset in the text; identifies the block. */
  readonly start: number
  readonly source: string
  readonly prepended: string
  /** The footnotes that are referenced before the block; null if it references none. */
  readonly earlierNotes: string | null
  readonly sources: readonly CitedSource[]
  readonly isGrowing: boolean
}

/** The source as it is shown: while the text grows, its unfinished end is settled. */
export const shownText = ({ source, isGrowing }: Pick<BlockInput, 'source' | 'isGrowing'>): string =>
  isGrowing ? withSettledEnd(source) : source

/** Null if the parser fails or would take too long; the caller then shows the text as written. */
export const renderedBlock = (input: BlockInput): ReactElement | null => parsedBlock(input, [], [directions])

type RenderedItems = {
  readonly items: ReactElement
  /** Null if the text starts no list. */
  readonly summary: ListSummary | null
  /** The elements that follow the list in its block. */
  readonly below: ReactElement | null
}

/** The items of a block that starts with a list, without the element of the list. */
export function renderedItems(input: BlockInput, style: ListStyle): RenderedItems | null {
  const { applyLooseness, unwrap, summary } = listPlugins(style)
  const items = parsedBlock(input, [applyLooseness], [unwrap, [directions, style.direction]])
  if (!items) return null
  return { items, summary: summary(), below: summary()?.hasContentBelow ? parsedBlock(input, [], [belowList, directions]) : null }
}

function parsedBlock(input: BlockInput, remark: Plugins, rehype: Plugins): ReactElement | null {
  const { prepended, sources, earlierNotes, isGrowing } = input
  const text = shownText(input)
  const caretPlugins = isGrowing ? [caret] : []
  return earlierNotes === null
    ? parsed(text, prepended, sources, remark, [...caretPlugins, ...rehype])
    : parsed(text, prepended, sources, [[earlierFootnotes, earlierNotes], ...remark], [withoutSection, ...caretPlugins, ...rehype])
}

/** The section of footnotes below a text. */
export const renderedFootnotes = (section: string, prepended: string, sources: readonly CitedSource[]): ReactElement | null =>
  parsed(section, prepended, sources, [], [onlySection, directions])

/** The source numbers of the citations in a block. */
export function citedInBlock(text: string, prepended: string, sources: readonly CitedSource[]): readonly number[] {
  let cited: readonly number[] = []
  const read = () => (tree: Root) => {
    cited = citedIn(tree)
    tree.children = []
  }
  parsed(text, prepended, sources, [read], [])
  return cited
}

const mathSyntax: Plugins[number] = [remarkMath, { singleDollarTextMath: false }]

/** Calls `ReactMarkdown` as a function, because the `catch` below would not catch the error of a component. */
function parsed(
  text: string,
  prepended: string,
  sources: readonly CitedSource[],
  extraRemarkPlugins: Plugins,
  rehypePlugins: NonNullable<Options['rehypePlugins']>,
): ReactElement | null {
  if (exceedsParserLimits(text)) return null
  const definitions = normalizeMath(prepended)
  const children = definitions + normalizeMath(text)
  const hasMath = mayHaveMath(children)
  const remarkPlugins: Plugins = [
    ...answerSyntax,
    ...(hasMath ? [mathSyntax] : []),
    [withoutPrepended, { length: definitions.length }],
    ...(hasMath ? [formulas] : []),
    closedDiagrams,
    addressLinks,
    htmlAsText,
    [citations, sources],
    ...extraRemarkPlugins,
  ]
  try {
    const remarkRehypeOptions = { handlers: footnoteHandlers, footnoteLabel: t('footnotes'), footnoteBackLabel }
    return ReactMarkdown({ children, remarkPlugins, rehypePlugins, remarkRehypeOptions, components: elements, urlTransform: keepUrl })
  } catch {
    return null
  }
}

const prose = new Set(['p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
const containers = new Set([...prose, 'ul', 'ol', 'blockquote'])

/** A rehype plugin: adds a caret at the end of a growing text, if its last line is prose. */
const caret = () => (tree: HtmlRoot) => {
  let end: HtmlRoot | Element = tree
  for (;;) {
    const last: HtmlRoot['children'][number] | undefined = end.children.findLast(({ type }) => type === 'element')
    if (last?.type !== 'element' || !containers.has(last.tagName)) break
    end = last
  }
  if (end.type === 'element' && prose.has(end.tagName))
    end.children.push({ type: 'element', tagName: 'span', properties: { className: ['md-caret'] }, children: [] })
}

/** `times`: the number of the reference to this footnote, from 1. */
const footnoteBackLabel = (index: number, times: number): string =>
  t('backToReference', { reference: times > 1 ? `${index + 1}-${times}` : `${index + 1}` })

/** `elements.tsx` validates URLs when it renders them. */
const keepUrl = (url: string): string => url
