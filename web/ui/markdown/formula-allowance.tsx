import { createContext, type ReactNode, useContext } from 'react'
import { allowedWork, workOf } from '../streaming-markdown/formula-limits.ts'

/*
 * Limits how much of one answer renders as formulas without a click. Each formula is small, but an answer may contain hundreds, and
 * rendering blocks the page. Formulas render in document order up to a total; the others stay source text, and the user can allow the same
 * amount again.
 */

/** `next`: the first formula on the page that is not rendered. */
export type RenderState = 'drawn' | 'next' | 'waiting'

export type FormulaAllowance = {
  /**
   * Registers a formula at this position until the returned function is called: a growing text may change it. Formulas that register
   * together are decided together, so that document order decides.
   */
  readonly register: (at: number, source: string) => () => void
  /** A formula that was rendered once renders again when it remounts: it is identified by its position. */
  readonly stateOf: (at: number, source: string) => RenderState
  readonly allowMore: () => void
  readonly subscribe: (listener: () => void) => () => void
}

type Registered = { readonly at: number; readonly work: number }

export function formulaAllowance(): FormulaAllowance {
  const registered = new Set<Registered>()
  const counted = new Map<number, number>()
  const listeners = new Set<() => void>()
  let remaining = allowedWork
  let next: number | null = null
  let isDue = false
  const missingWork = ({ at, work }: Registered): number => work - (counted.get(at) ?? 0)
  const distribute = (): void => {
    isDue = false
    const before = { remaining, next }
    next = null
    const waiting = [...registered].filter((formula) => missingWork(formula) > 0).sort((one, other) => one.at - other.at)
    for (const formula of waiting) {
      const more = missingWork(formula)
      if (more > remaining) {
        next = formula.at
        break
      }
      counted.set(formula.at, formula.work)
      remaining -= more
    }
    if (remaining !== before.remaining || next !== before.next) for (const listener of listeners) listener()
  }
  const distributeSoon = (): void => {
    if (!isDue) queueMicrotask(distribute)
    isDue = true
  }
  return {
    register: (at, source) => {
      const formula = { at, work: workOf(source) }
      registered.add(formula)
      distributeSoon()
      return () => {
        registered.delete(formula)
        distributeSoon()
      }
    },
    stateOf: (at, source) => {
      if (missingWork({ at, work: workOf(source) }) <= 0) return 'drawn'
      return at === next ? 'next' : 'waiting'
    },
    allowMore: () => {
      remaining += allowedWork
      distribute()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/* The position of a formula in its answer: the texts of an answer render separately and share one allowance. */

type Place = { readonly allowance: FormulaAllowance; readonly from: number }

/** The allowance of the answer, and the start offset of the content below. */
export const FormulaPositionContext = createContext<Place>({ allowance: formulaAllowance(), from: 0 })

/** Offset between parts of an answer, and between texts of one part: larger than any of them. */
export const partSpan = 2 ** 36
export const textSpan = 2 ** 26

/** Offsets its children by `start` in the answer. */
export function FormulaOffset({ start, children }: { readonly start: number; readonly children: ReactNode }) {
  const { allowance, from } = useContext(FormulaPositionContext)
  const place = { allowance, from: from + start }
  return <FormulaPositionContext value={place}>{children}</FormulaPositionContext>
}
