/** Search hits in titles and excerpts, with the same highlighting as in the conversation. */
import type { ReactNode } from 'react'
import { matchRanges } from '../../lib/match-ranges.ts'

type FoundTextProps = { readonly text: string; readonly words: readonly string[] }

export const Marked = ({ text, words }: FoundTextProps) =>
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
export const Excerpt = ({ text, words }: FoundTextProps) => (
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
