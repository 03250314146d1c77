/**
 * How much of one answer is drawn as formulas before anybody asks. Each of them is small, but an answer may hold hundreds, and drawing is
 * done while the page waits. So they are drawn in the order of the text up to a sum; from there on they stand as they were written, and its
 * reader may allow as much again.
 */
import { createContext } from 'react'

/** In characters. As much as a long chapter holds; of the dearest ones it keeps the page for a second or two. */
export const allowedWork = 24_000

/** What the shortest formula takes, and every cell of a table more than its one character: a dozen elements either way. */
const workOfAny = 20
const workOfCell = 5

/** How much work a formula is to draw, as the number of characters that are as much. */
export const workOf = (source: string): number => source.length + workOfAny + workOfCell * (source.match(/&|\\\\/g)?.length ?? 0)

/** `next`: the first that is not drawn. */
export type Leave = 'drawn' | 'next' | 'waiting'

export type FormulaAllowance = {
  /** Whether the formula at this place of the text is drawn. Asked again it is the same one, so it is counted once. */
  readonly ask: (at: number, source: string) => Leave
  readonly allowMore: () => void
  readonly subscribe: (listener: () => void) => () => void
}

export function formulaAllowance(): FormulaAllowance {
  const counted = new Map<number, number>()
  const listeners = new Set<() => void>()
  let left = allowedWork
  let next = Number.POSITIVE_INFINITY
  return {
    ask: (at, source) => {
      if (at > next) return 'waiting'
      const work = workOf(source)
      const more = work - (counted.get(at) ?? 0)
      if (more > left) {
        next = at
        return 'next'
      }
      if (more > 0) {
        counted.set(at, work)
        left -= more
      }
      return 'drawn'
    },
    allowMore: () => {
      left += allowedWork
      next = Number.POSITIVE_INFINITY
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Of the answer that a formula stands in, and where in its text the part begins that was parsed with it. */
export const FormulaPlace = createContext<{ readonly allowance: FormulaAllowance; readonly from: number }>({
  allowance: formulaAllowance(),
  from: 0,
})
