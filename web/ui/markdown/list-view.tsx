/**
 * Renders the blocks of one list inside one element. A finished block renders again only if its input or the list's style (loose, direction)
 * changes.
 */
import { memo, type ReactElement, useState } from 'react'
import { directionOf } from './directions.ts'
import { SourceText } from './elements.tsx'
import { FormulaOffset } from './formula-position.tsx'
import type { ListStyle, ListSummary } from './list-plugins.ts'
import { type BlockInput, renderedItems, shownText } from './parse-block.ts'

type ListViewProps = { readonly blocks: readonly BlockInput[] }

export const ListView = memo(
  function ListView({ blocks }: ListViewProps) {
    const [renderBlocks] = useState(blockRenderer)
    const [style, setStyle] = useState(() => estimatedStyle(blocks))
    const shown = shownBlocks(blocks)
    const rendered = renderBlocks(shown, style)
    if (!rendered.every((block) => block !== null)) return <SourceText text={blocks.map(({ source }) => source).join('\n')} />
    const summaries = rendered.flatMap(({ summary }) => summary ?? [])
    const isLoose =
      summaries.some((summary) => summary.isLoose) || shown.some((block, index) => hasBlankLineBetween(shown[index - 1], block))
    const direction = summaries.find((summary) => summary.direction)?.direction ?? 'ltr'
    // Setting state while rendering: React discards this result and renders with the new style before it commits.
    if (style.isLoose !== isLoose || style.direction !== direction) setStyle({ isLoose, direction })
    const items = rendered.map((block) => block.items)
    const [first] = summaries
    // No list: its first marker is still withheld, or the parser found none.
    if (!first) return items
    const props = {
      className: summaries.some(({ isTaskList }) => isTaskList) ? 'contains-task-list' : undefined,
      dir: direction === 'ltr' ? undefined : direction,
    }
    return (
      <>
        {first.tagName === 'ol' ? (
          <ol start={first.start} {...props}>
            {items}
          </ol>
        ) : (
          <ul {...props}>{items}</ul>
        )}
        {/* Only the last block can contain other content below the list. */}
        {rendered.at(-1)?.below}
      </>
    )
  },
  (before, after) =>
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, index) => {
      const next = after.blocks[index]
      return next !== undefined && isSameInput(block, next)
    }),
)

/** The style estimated from the source text. The estimate is almost always right, so a finished list is parsed only once. */
const estimatedStyle = (blocks: readonly BlockInput[]): ListStyle => {
  const text = blocks.map(({ source }) => source).join('\n')
  return { isLoose: /\n[ \t]*\n/.test(text), direction: directionOf({ type: 'text', value: text }) ?? 'ltr' }
}

/** Omits a last block that is only an undecided marker; the block before it then counts as growing. */
function shownBlocks(blocks: readonly BlockInput[]): readonly BlockInput[] {
  const last = blocks.at(-1)
  if (!last?.isGrowing || shownText(last) !== '') return blocks
  const before = blocks.at(-2)
  return before ? [...blocks.slice(0, -2), { ...before, isGrowing: true }] : []
}

const hasBlankLineBetween = (before: BlockInput | undefined, block: BlockInput): boolean =>
  before !== undefined && block.start > before.start + before.source.length + 1

type RenderedBlock = { readonly items: ReactElement; readonly summary: ListSummary | null; readonly below: ReactElement | null }

type CachedBlock = { readonly input: BlockInput; readonly style: ListStyle; readonly rendered: RenderedBlock | null }

/** Renders a block again only if its input or the style of the list has changed. */
function blockRenderer() {
  let cached: readonly CachedBlock[] = []
  return (blocks: readonly BlockInput[], style: ListStyle): readonly (RenderedBlock | null)[] => {
    cached = blocks.map((input, index) => {
      const previous = cached[index]
      return previous?.style === style && isSameInput(previous.input, input)
        ? previous
        : { input, style, rendered: renderBlock(input, style) }
    })
    return cached.map(({ rendered }) => rendered)
  }
}

const comparedFields = ['start', 'source', 'prepended', 'earlierNotes', 'sources', 'isGrowing'] satisfies readonly (keyof BlockInput)[]

const isSameInput = (before: BlockInput, after: BlockInput): boolean => comparedFields.every((field) => before[field] === after[field])

function renderBlock(input: BlockInput, style: ListStyle): RenderedBlock | null {
  const rendered = renderedItems(input, style)
  if (!rendered) return null
  const { items, summary, below } = rendered
  const offset = (content: ReactElement) => (
    <FormulaOffset key={input.start} start={input.start}>
      {content}
    </FormulaOffset>
  )
  return { items: offset(items), summary, below: below && offset(below) }
}
