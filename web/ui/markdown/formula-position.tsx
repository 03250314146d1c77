/** The position of a formula in its answer: the texts of an answer render separately and share one allowance. */
import { createContext, type ReactNode, useContext } from 'react'
import { type FormulaAllowance, formulaAllowance } from './formula-allowance.ts'

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
