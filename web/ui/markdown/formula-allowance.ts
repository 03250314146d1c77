/**
 * Limits how much of one answer renders as formulas without a click. Each formula is small, but an answer may contain hundreds, and
 * rendering blocks the page. Formulas render in document order up to a total; the others stay source text, and the user can allow the same
 * amount again.
 */

/** Chosen, in characters: as much as a long chapter contains. The most expensive formulas block the page for a second or two. */
export const allowedWork = 24_000

/** The work of the shortest formula, and of each table cell in addition to its text: about a dozen elements. */
const workOfAny = 20
const workOfCell = 5

/** The work to render a formula, in equivalent characters. */
export const workOf = (source: string): number => source.length + workOfAny + workOfCell * (source.match(/&|\\\\/g)?.length ?? 0)

/** `next`: the first formula on the page that is not rendered. */
export type Leave = 'drawn' | 'next' | 'waiting'

export type FormulaAllowance = {
  /**
   * Registers a formula at this position until the returned function is called: a growing text may change it. Formulas that register
   * together are decided together, so that document order decides.
   */
  readonly enter: (at: number, source: string) => () => void
  /** A formula that was rendered once renders again when it remounts: it is identified by its position. */
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
