/** Renders Markdown block by block. Loaded as a separate chunk, because it contains the parser. */
import { memo, useState } from 'react'
import { useStable } from '../../lib/stable-value.ts'
import { isDiagram } from '../code-colours/language-names.ts'
import type { Definitions } from '../streaming-markdown/answer-parser.ts'
import { type Block, blockSplitter, emptySplit, exceedsRenderLimits, splitBlocks } from '../streaming-markdown/blocks.ts'
import type { CitedSource } from './citations.ts'
import { CodeBlock } from './code-block.tsx'
import { Diagram } from './diagram.tsx'
import { setDirections } from './directions.ts'
import { type BlockInput, blockTree, citedIn, drawn, fenceIn, isSameInput, ListView } from './drawn-block.tsx'
import type { Note } from './element-tree.ts'
import { SourceText } from './elements.tsx'
import { definesFootnote, footnoteSection, notesOf, referenceReader } from './footnotes.ts'
import { FormulaOffset } from './formula-allowance.tsx'

type RichMarkdownProps = { readonly text: string; readonly isGrowing: boolean; readonly sources: readonly CitedSource[] }

export function RichMarkdown({ text, isGrowing, sources }: RichMarkdownProps) {
  const [splitOf] = useState(blockSplitter)
  const [referencesOf] = useState(referenceReader)
  const { blocks, definitions: all, finished } = splitOf(text)
  // The address of a growing definition is not complete, but a growing footnote is shown.
  const definitions = useStable(isGrowing ? { ...all, references: finished.definitions.references } : all, hasSameDefinitions)
  const defining = useStable(blocks.filter(definesFootnote), hasSameBlocks)
  if (exceedsRenderLimits(blocks)) return <SourceText text={text} />
  const references = referencesOf(blocks, definitions)
  const notes = notesOf(references)
  const inputs = blocks.map((block, index): BlockInput => {
    return { block, definitions, notes: notes[index] ?? noNotes, sources, isGrowing: isGrowing && index === blocks.length - 1 }
  })
  return (
    <>
      {groupsOf(inputs).map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a group is its position among the blocks
        <BlockGroup key={index} inputs={group} />
      ))}
      {references.some(({ length }) => length > 0) && (
        <div className="md-group">
          <FootnoteSection references={references.flat().join(' ')} blocks={defining} definitions={definitions} sources={sources} />
        </div>
      )}
    </>
  )
}

const noNotes: readonly Note[] = []

const hasSameDefinitions = (before: Definitions, after: Definitions): boolean =>
  before.references === after.references &&
  before.footnotes.size === after.footnotes.size &&
  [...before.footnotes].every((label) => after.footnotes.has(label))

const hasSameBlocks = (before: readonly Block[], after: readonly Block[]): boolean =>
  before.length === after.length && before.every((block, index) => block.source === after[index]?.source)

/** Source numbers that a finished text cites. Reads the parsed text, so numbers in code and formulas do not count. */
export function citedNumbers(text: string, sources: readonly CitedSource[]): ReadonlySet<number> {
  const { blocks, definitions } = splitBlocks(emptySplit, text)
  if (exceedsRenderLimits(blocks)) return new Set()
  return new Set(blocks.filter(({ source }) => source.includes('[')).flatMap(({ source }) => citedIn(source, definitions, sources)))
}

/** Chosen: blocks per memoized group. A list counts as one block and is never divided between groups. */
const groupSize = 40

function groupsOf(inputs: readonly BlockInput[]): readonly (readonly BlockInput[])[] {
  const groups: BlockInput[][] = []
  let size = groupSize
  for (const input of inputs) {
    if (input.block.list?.isFirst !== false) {
      if (size === groupSize) {
        groups.push([])
        size = 0
      }
      size += 1
    }
    groups.at(-1)?.push(input)
  }
  return groups
}

/** The blocks of each list together, and every other block alone. */
const runsOf = (inputs: readonly BlockInput[]): readonly (readonly BlockInput[])[] => {
  const runs: BlockInput[][] = []
  for (const input of inputs) {
    if (input.block.list?.isFirst === false) runs.at(-1)?.push(input)
    else runs.push([input])
  }
  return runs
}

type BlockGroupProps = { readonly inputs: readonly BlockInput[] }

const BlockGroup = memo(
  function BlockGroup({ inputs }: BlockGroupProps) {
    return (
      <div className="md-group">
        {runsOf(inputs).map(
          (run) =>
            run[0] &&
            (run[0].block.list ? (
              <ListView key={run[0].block.start} inputs={run} />
            ) : (
              <BlockView key={run[0].block.start} input={run[0]} />
            )),
        )}
      </div>
    )
  },
  (before, after) =>
    before.inputs.length === after.inputs.length &&
    before.inputs.every((input, index) => {
      const next = after.inputs[index]
      return next !== undefined && isSameInput(input, next)
    }),
)

type FootnoteSectionProps = {
  /** Labels, which contain no space. */
  readonly references: string
  readonly blocks: readonly Block[]
  readonly definitions: Definitions
  readonly sources: readonly CitedSource[]
}

const FootnoteSection = memo(function FootnoteSection({ references, blocks, definitions, sources }: FootnoteSectionProps) {
  const section = footnoteSection(references.split(' '), blocks, definitions, sources)
  if (!section) return null
  setDirections(section)
  return drawn(section)
})

const BlockView = memo(
  function BlockView({ input }: { readonly input: BlockInput }) {
    const { block, isGrowing } = input
    const fence = fenceIn(block.source)
    if (fence) {
      const { code, language, isClosed } = fence
      const isOpen = isGrowing && !isClosed
      if (isClosed && isDiagram(language)) return <Diagram code={code} />
      return <CodeBlock code={isOpen ? withoutFormingFence(code) : code} language={language} isGrowing={isOpen} />
    }
    const tree = blockTree(input)
    setDirections(tree)
    return <FormulaOffset start={block.start}>{drawn(tree)}</FormulaOffset>
  },
  (before, after) => isSameInput(before.input, after.input),
)

/** Removes a last line of one or two fence characters: probably the start of the closing fence. */
const withoutFormingFence = (code: string): string => code.replace(/(?:^|\n) {0,3}(?:`{1,2}|~{1,2})$/, '')
