/**
 * How much of one answer is drawn as formulas before anybody asks. Each of them is small, but an answer may hold hundreds, and drawing is
 * done while the page waits. So they are drawn in the order of the answer up to a sum; from there on they stand as they were written, and
 * its reader may allow as much again.
 */

/** In characters. As much as a long chapter holds; of the dearest ones it keeps the page for a second or two. */
export const allowedWork = 24_000

/** What the shortest formula takes, and every cell of a table more than its one character: a dozen elements either way. */
const workOfAny = 20
const workOfCell = 5

/** How much work a formula is to draw, as the number of characters that are as much. */
export const workOf = (source: string): number => source.length + workOfAny + workOfCell * (source.match(/&|\\\\/g)?.length ?? 0)

/** `next`: the first on the page that is not drawn. */
export type Leave = 'drawn' | 'next' | 'waiting'

export type FormulaAllowance = {
  /**
   * Says that a formula is on the page, at this place of the answer, until what is returned is called: text that grows may make it something
   * else. All that come at once are judged together, when the page has them all, so that the order of the answer decides.
   */
  readonly enter: (at: number, source: string) => () => void
  /** One that was drawn once is drawn whenever it comes back: it is counted by its place. */
  readonly leaveOf: (at: number, source: string) => Leave
  readonly allowMore: () => void
  readonly subscribe: (listener: () => void) => () => void
}

type Entered = { readonly at: number; readonly work: number }

export function formulaAllowance(): FormulaAllowance {
  const entered = new Set<Entered>()
  const counted = new Map<number, number>()
  const listeners = new Set<() => void>()
  let left = allowedWork
  let next: number | null = null
  let isDue = false
  const lacking = ({ at, work }: Entered): number => work - (counted.get(at) ?? 0)
  const settle = (): void => {
    isDue = false
    const before = { left, next }
    next = null
    const waiting = [...entered].filter((formula) => lacking(formula) > 0).sort((one, other) => one.at - other.at)
    for (const formula of waiting) {
      const more = lacking(formula)
      if (more > left) {
        next = formula.at
        break
      }
      counted.set(formula.at, formula.work)
      left -= more
    }
    if (left !== before.left || next !== before.next) for (const listener of listeners) listener()
  }
  const settleSoon = (): void => {
    if (!isDue) queueMicrotask(settle)
    isDue = true
  }
  return {
    enter: (at, source) => {
      const formula = { at, work: workOf(source) }
      entered.add(formula)
      settleSoon()
      return () => {
        entered.delete(formula)
        settleSoon()
      }
    },
    leaveOf: (at, source) => {
      if (lacking({ at, work: workOf(source) }) <= 0) return 'drawn'
      return at === next ? 'next' : 'waiting'
    },
    allowMore: () => {
      left += allowedWork
      settle()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
