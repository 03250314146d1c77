/**
 * Renders the blocks of one list inside one element. A finished block renders again only when the style of the whole list changes: a later
 * item makes the list loose, or contains its first letters.
 */
import { memo, type ReactElement, useState } from 'react'
import { withSettledEnd } from '../streaming-markdown/open-end.ts'
import { directionOf } from './directions.ts'
import { FormulaOffset } from './formula-position.tsx'
import type { ListStyle, ListSummary } from './list-plugins.ts'
import { type BlockInput, drawnItems } from './parse-block.ts'

type ListViewProps = { readonly parts: readonly BlockInput[] }

export const ListView = memo(
  function ListView({ parts }: ListViewProps) {
    const [draw] = useState(partRenderer)
    const [style, setStyle] = useState(() => probableStyle(parts))
    const shown = shownOf(parts)
    const drawn = draw(shown, style)
    if (!drawn.every((part) => part !== null)) return <AsWritten text={parts.map(({ source }) => source).join('\n')} />
    const summaries = drawn.flatMap((part) => part.summary ?? [])
    const isLoose = summaries.some((part) => part.isLoose) || shown.some((part, index) => isApart(shown[index - 1], part))
    const direction = summaries.find((part) => part.direction)?.direction ?? 'ltr'
    // React renders again at once, before it commits.
    if (style.isLoose !== isLoose || style.direction !== direction) setStyle({ isLoose, direction })
    const items = drawn.map((part) => part.items)
    const [first] = summaries
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
        {drawn.at(-1)?.below}
      </>
    )
  },
  (before, after) =>
    before.parts.length === after.parts.length &&
    before.parts.every((part, index) => {
      const next = after.parts[index]
      return next !== undefined && isSame(part, next)
    }),
)

/** Almost always the style of the list, so that a finished list is parsed only once. */
const probableStyle = (parts: readonly BlockInput[]): ListStyle => {
  const text = parts.map(({ source }) => source).join('\n')
  return { isLoose: /\n[ \t]*\n/.test(text), direction: directionOf({ type: 'text', value: text }) ?? 'ltr' }
}

/** A marker whose meaning is not decided is not shown, so the part before it is the end of the text. */
function shownOf(parts: readonly BlockInput[]): readonly BlockInput[] {
  const last = parts.at(-1)
  if (!last?.isGrowing || textOf(last) !== '') return parts
  const shown = parts.slice(0, -1)
  return shown.map((part, index) => (index === shown.length - 1 ? { ...part, isGrowing: true } : part))
}

const textOf = ({ source, isGrowing }: BlockInput): string => (isGrowing ? withSettledEnd(source) : source)

/** A blank line separates the two parts. */
const isApart = (before: BlockInput | undefined, part: BlockInput): boolean =>
  before !== undefined && part.start > before.start + before.source.length + 1

type DrawnPart = { readonly items: ReactElement; readonly summary: ListSummary | null; readonly below: ReactElement | null }

type CachedPart = { readonly input: BlockInput; readonly style: ListStyle; readonly drawn: DrawnPart | null }

/** Draws a part again only if its input or the style of the list has changed. */
function partRenderer() {
  let cached: readonly CachedPart[] = []
  return (parts: readonly BlockInput[], style: ListStyle): readonly (DrawnPart | null)[] => {
    cached = parts.map((input, index) => {
      const known = cached[index]
      return known?.style === style && isSame(known.input, input) ? known : { input, style, drawn: drawnPart(input, style) }
    })
    return cached.map(({ drawn }) => drawn)
  }
}

const fields = ['start', 'source', 'prepended', 'earlierNotes', 'sources', 'isGrowing'] as const

const isSame = (before: BlockInput, after: BlockInput): boolean => fields.every((field) => before[field] === after[field])

function drawnPart(input: BlockInput, style: ListStyle): DrawnPart | null {
  const drawn = drawnItems(textOf(input), input, style)
  if (!drawn) return null
  const { items, summary, below } = drawn
  const offset = (content: ReactElement) => (
    <FormulaOffset key={input.start} start={input.start}>
      {content}
    </FormulaOffset>
  )
  return { items: offset(items), summary, below: below && offset(below) }
}

/** Text that is not drawn as Markdown. */
export const AsWritten = ({ text }: { readonly text: string }) => (
  <p dir="auto" className="whitespace-pre-wrap">
    {text}
  </p>
)
