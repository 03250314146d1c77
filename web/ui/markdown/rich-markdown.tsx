/** Renders Markdown block by block. Loaded as a separate chunk, because it contains the parser. */
import { memo, useState } from 'react'
import { useStable } from '../../lib/use-stable.ts'
import { type Block, blockSplitter, emptySplit, splitBlocks } from '../streaming-markdown/blocks.ts'
import { type Labels, labelsOf, prependedDefinitions } from '../streaming-markdown/definitions.ts'
import { type Footnotes, footnotesOf } from '../streaming-markdown/footnotes.ts'
import { closesFence } from '../streaming-markdown/lines.ts'
import { exceedsRenderLimits } from '../streaming-markdown/markdown-limits.ts'
import { fencedMath } from '../streaming-markdown/math-rules.ts'
import type { CitedSource } from './citations.ts'
import { CodeBlock } from './code-block.tsx'
import { Diagram, isDiagram } from './diagram.tsx'
import { SourceText } from './elements.tsx'
import { Formula } from './formula.tsx'
import { FormulaOffset } from './formula-position.tsx'
import { ListView } from './list-view.tsx'
import { type BlockInput, citedInBlock, renderedBlock, renderedFootnotes, shownText } from './parse-block.ts'

type RichMarkdownProps = { readonly text: string; readonly isGrowing: boolean; readonly sources: readonly CitedSource[] }

export function RichMarkdown({ text, isGrowing, sources }: RichMarkdownProps) {
  const [blocksOf] = useState(blockSplitter)
  const blocks = blocksOf(text)
  const finished = isGrowing ? blocks.slice(0, -1) : blocks
  const definingBlocks = useStable(
    finished.filter(({ defines }) => defines),
    hasSameBlocks,
  )
  if (exceedsRenderLimits(blocks)) return <SourceText text={text} />
  const labels = labelsOf(definingBlocks)
  const footnotes = footnotesOf(blocks)
  return (
    <>
      {groupsOf(blocks).map((group, index, groups) => (
        <BlockGroup
          // biome-ignore lint/suspicious/noArrayIndexKey: a group is its position among the blocks
          key={index}
          blocks={group}
          labels={labels}
          footnotes={footnotes}
          sources={sources}
          isGrowing={isGrowing && index === groups.length - 1}
        />
      ))}
      {footnotes && (
        <div className="md-group">
          <FootnoteSection section={footnotes.section} prepended={definitionsOf(footnotes, labels)} sources={sources} />
        </div>
      )}
    </>
  )
}

/** Source numbers that a finished text cites. Reads the parsed tree, so numbers in code and formulas do not count. */
export function citedNumbers(text: string, sources: readonly CitedSource[]): ReadonlySet<number> {
  const { blocks } = splitBlocks(emptySplit, text)
  if (exceedsRenderLimits(blocks)) return new Set()
  const labels = labelsOf(blocks)
  // Only blocks with a bracket outside of code fences can cite.
  const candidates = blocks.filter(({ fence, source }) => !fence && source.includes('['))
  return new Set(candidates.flatMap((block) => citedInBlock(block.source, prependedDefinitions(block, labels), sources)))
}

/** Chosen: blocks per memoized group. A list counts as one block and is never divided between groups. */
const groupSize = 40

function groupsOf(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const groups: Block[][] = []
  let size = groupSize
  for (const block of blocks) {
    if (block.list !== 'next') {
      if (size === groupSize) {
        groups.push([])
        size = 0
      }
      size += 1
    }
    groups.at(-1)?.push(block)
  }
  return groups
}

/** The blocks of each list together, and every other block alone. */
const runsOf = (blocks: readonly Block[]): readonly (readonly Block[])[] => {
  const runs: Block[][] = []
  for (const block of blocks) {
    if (block.list === 'next') runs.at(-1)?.push(block)
    else runs.push([block])
  }
  return runs
}

const hasSameBlocks = (before: readonly Block[], after: readonly Block[]): boolean =>
  before.length === after.length &&
  before.every(({ start, source }, index) => after[index]?.start === start && after[index].source === source)

type BlockGroupProps = {
  readonly blocks: readonly Block[]
  readonly labels: Labels
  readonly footnotes: Footnotes | null
  readonly sources: readonly CitedSource[]
  readonly isGrowing: boolean
}

const BlockGroup = memo(
  function BlockGroup({ blocks, labels, footnotes, sources, isGrowing }: BlockGroupProps) {
    const inputOf = (block: Block): BlockInput => ({
      start: block.start,
      source: block.source,
      prepended: prependedDefinitions(block, labels),
      earlierNotes: footnotes?.before.get(block.start) ?? null,
      sources,
      isGrowing: isGrowing && block === blocks.at(-1),
    })
    return (
      <div className="md-group">
        {runsOf(blocks).map(([block, ...more]) =>
          block?.list ? (
            <ListView key={block.start} blocks={[block, ...more].map(inputOf)} />
          ) : (
            block && <BlockView key={block.start} language={fenceLanguage(block)} {...inputOf(block)} />
          ),
        )}
      </div>
    )
  },
  (before, after) =>
    before.isGrowing === after.isGrowing &&
    before.labels === after.labels &&
    hasSameNotes(before, after) &&
    before.sources === after.sources &&
    hasSameBlocks(before.blocks, after.blocks),
)

const hasSameNotes = (before: BlockGroupProps, after: BlockGroupProps): boolean =>
  before.footnotes === after.footnotes ||
  after.blocks.every(({ start }) => before.footnotes?.before.get(start) === after.footnotes?.before.get(start))

const definitionsOf = ({ section, containers }: Footnotes, labels: Labels): string =>
  prependedDefinitions({ start: -1, source: section + containers, fence: null, defines: false }, labels)

type FootnoteSectionProps = { readonly section: string; readonly prepended: string; readonly sources: readonly CitedSource[] }

const FootnoteSection = memo(function FootnoteSection({ section, prepended, sources }: FootnoteSectionProps) {
  return renderedFootnotes(section, prepended, sources)
})

/** Language of an unindented fenced block; null if the parser must read it (other blocks, info strings with escapes). */
const fenceLanguage = ({ fence }: Block): string | null =>
  fence && fence.indent === 0 && /^[\w+#.-]*(?:\s[^&\\]*)?$/.test(fence.info) ? (fence.info.split(/\s/)[0] ?? '') : null

type BlockViewProps = BlockInput & { readonly language: string | null }

const BlockView = memo(function BlockView({ language, ...input }: BlockViewProps) {
  const { start, source, isGrowing } = input
  if (language !== null) {
    const { code, isClosed } = fencedCode(source)
    const isOpen = isGrowing && !isClosed
    if (isClosed && isDiagram(language)) return <Diagram code={code} />
    return <CodeBlock code={isOpen ? withoutFormingFence(code) : code} language={language} isGrowing={isOpen} />
  }
  const math = fencedMath(source)
  const rendered =
    math?.rest === '' ? <Formula source={math.value} kind={math.isClosed ? 'display' : 'open'} at={0} /> : renderedBlock(input)
  return rendered ? <FormulaOffset start={start}>{rendered}</FormulaOffset> : <SourceText text={shownText(input)} />
})

/** The code of a fenced block, without the parser, so long code stays fast. */
const fencedCode = (source: string): { code: string; isClosed: boolean } => {
  const bodyStart = source.indexOf('\n') + 1
  if (bodyStart === 0) return { code: '', isClosed: false }
  const run = /^(`+|~+)/.exec(source)?.[0] ?? ''
  const lastBreak = source.lastIndexOf('\n')
  const isClosed = closesFence(source.slice(lastBreak + 1), { char: run.charAt(0), length: run.length })
  const code = isClosed ? source.slice(bodyStart, Math.max(bodyStart, lastBreak)) : source.slice(bodyStart).replace(/\n$/, '')
  return { code: code.replaceAll('\0', '\ufffd'), isClosed }
}

/** Removes a last line of one or two fence characters: probably the start of the closing fence. */
const withoutFormingFence = (code: string): string => code.replace(/(?:^|\n) {0,3}(?:`{1,2}|~{1,2})$/, '')
