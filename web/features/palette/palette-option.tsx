/** One line of the palette. The field keeps the focus and points at it. */
import { ComboboxItem } from '@ariakit/react/combobox'
import { Check, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'
import { matchRanges } from '../../lib/match-words.ts'
import { hasKeyboard } from '../../lib/viewport.ts'
import type { Command } from '../../ui/command.ts'
import { OneLine } from '../../ui/one-line.tsx'
import { t } from './texts/en.ts'

type PaletteOptionProps = {
  readonly id: string
  readonly command: Command
  /** The search words, to mark them. */
  readonly words: readonly string[]
  readonly isActive: boolean
  readonly onChoose: () => void
}

export function PaletteOption({ id, command, words, isActive, onChoose }: PaletteOptionProps) {
  const { title, icon, detail, excerpt, keys, isChosen = false, isDanger = false, choices } = command
  return (
    <ComboboxItem
      id={id}
      focusOnHover={hasKeyboard()}
      blurOnHoverEnd={false}
      aria-selected={isActive}
      className={cx(
        // A heading and the fade above it stay in view as well.
        'active-item flex min-h-9 scroll-mt-13 scroll-mb-8 items-center gap-3 rounded-md px-2.5 py-1.5 select-none touch:min-h-11 [&>svg]:size-4 [&>svg]:shrink-0',
        isDanger ? 'text-danger' : '[&>svg]:text-muted-foreground',
      )}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <OneLine text={title} draw={(text) => <Marked text={text} words={words} />} />
        {excerpt && <Excerpt text={excerpt} words={words} />}
      </span>
      {detail && <span className="max-w-1/2 shrink-0 truncate text-xs text-muted-foreground">{detail}</span>}
      {keys && <span className="shrink-0 font-mono text-xs text-muted-foreground touch:hidden">{keys}</span>}
      {isChosen && <Check role="img" aria-label={t('chosen')} className="text-accent!" />}
      {choices && <ChevronRight aria-hidden="true" />}
    </ComboboxItem>
  )
}

type FoundTextProps = { readonly text: string; readonly words: readonly string[] }

/** Search hits in titles and excerpts, with the same highlighting as in the conversation. */
const Marked = ({ text, words }: FoundTextProps) =>
  markedIn(text, words).map(
    ({ at, text: piece, isFound }): ReactNode =>
      isFound ? (
        <mark key={at} className="bg-accent/24 text-foreground underline decoration-accent decoration-1">
          {piece}
        </mark>
      ) : (
        piece
      ),
  )

/** The text around a search hit as rendered. */
const Excerpt = ({ text, words }: FoundTextProps) => (
  <span dir="auto" className="block truncate text-xs text-muted-foreground">
    <Marked text={stripMarkdown(text, words)} words={words} />
  </span>
)

/** Removes Markdown around visible words: addresses, table rules, quotation marks. Always keeps the hit. */
export function stripMarkdown(excerpt: string, words: readonly string[]): string {
  const read = excerpt
    .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\)|…?$)/g, '$1')
    .replace(/(^|\s)(?::-+:?|-+:|-{3,})(?=\s|$)/g, '$1')
    .replace(/(^…?|[.:!?]\s)(?:[>-]\s)+/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
  const folded = read.toLowerCase()
  return words.every((word) => folded.includes(word) || !excerpt.toLowerCase().includes(word)) ? read : excerpt
}

type Piece = { readonly at: number; readonly text: string; readonly isFound: boolean }

/** The whole text as pieces: hits and the text between them. */
export function markedIn(text: string, words: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  const upTo = (to: number, isFound: boolean) => {
    if (to > at) pieces.push({ at, text: text.slice(at, to), isFound })
    at = Math.max(at, to)
  }
  for (const { from, to } of matchRanges(words, text).toSorted((a, b) => a.from - b.from)) {
    upTo(from, false)
    upTo(to, true)
  }
  upTo(text.length, false)
  return pieces
}
