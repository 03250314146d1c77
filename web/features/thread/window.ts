/**
 * Which turns of a long conversation are on the page: those in view and a margin around them. The others are empty space of
 * the height they were measured to have, or are estimated to have as long as nobody has seen them.
 */
import type { Place } from '../../stores/places.ts'
import type { Turn } from './turns.ts'

export type Span = {
  readonly first: number
  /** Exclusive. */
  readonly end: number
  readonly beforePx: number
  readonly afterPx: number
}

/**
 * Pixels drawn beyond each edge of the view. A thread opens with the first; the others follow while the browser is idle, until
 * an ordinary thread stands on the page whole and quick scrolling, selecting and the browser's own search meet no gaps.
 */
export const overscanStepsPx = [700, 2000, 3500, 5000] as const

type View = { readonly topPx: number; readonly heightPx: number }

export function spanFor(heightsPx: readonly number[], { topPx, heightPx }: View, overscanPx: number): Span {
  const from = topPx - overscanPx
  const to = topPx + heightPx + overscanPx
  let first = 0
  let beforePx = 0
  while (first < heightsPx.length - 1 && beforePx + (heightsPx[first] ?? 0) <= from) {
    beforePx += heightsPx[first] ?? 0
    first += 1
  }
  let end = first
  let atPx = beforePx
  while (end < heightsPx.length && atPx < to) {
    atPx += heightsPx[end] ?? 0
    end += 1
  }
  let afterPx = 0
  for (let index = end; index < heightsPx.length; index += 1) afterPx += heightsPx[index] ?? 0
  return { first, end, beforePx, afterPx }
}

/** The view of the conversation's end, before anything was measured. */
export const endOf = (heightsPx: readonly number[], heightPx: number): View => ({
  topPx: Math.max(0, heightsPx.reduce((sum, height) => sum + height, 0) - heightPx),
  heightPx,
})

/** The view in which this turn stands so far from the upper edge; null when it is not among them. */
export function viewAt(heightsPx: readonly number[], turns: readonly Pick<Turn, 'id'>[], { id, offsetPx }: Place): View | null {
  const index = turns.findIndex((turn) => turn.id === id)
  if (index < 0) return null
  const beforePx = heightsPx.slice(0, index).reduce((sum, height) => sum + height, 0)
  return { topPx: Math.max(0, beforePx - offsetPx), heightPx: window.innerHeight }
}

const lineChars = 88
const linePx = 28
const bubbleLineChars = 62
const bubbleLinePx = 24
const framePx = 88

/** A first guess, replaced by the measured height as soon as there is one. */
export function estimatedHeightPx(turn: Turn): number {
  if (turn.kind === 'live') return framePx + linePx
  const chars = turn.message.parts.reduce((sum, part) => sum + (part.type === 'text' && 'text' in part ? part.text.length : 0), 0)
  return turn.kind === 'user'
    ? framePx + bubbleLinePx * Math.ceil(chars / bubbleLineChars)
    : framePx + linePx * Math.ceil((chars * 1.25) / lineChars)
}
