/** Where in its answer a formula stands: the texts of an answer are drawn apart, and share one allowance. */
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { type FormulaAllowance, formulaAllowance } from './formula-allowance.ts'

type Place = { readonly allowance: FormulaAllowance; readonly from: number }

/** Of the answer, and where in it begins what is drawn here. */
export const FormulaPlace = createContext<Place>({ allowance: formulaAllowance(), from: 0 })

/** How far apart the parts of an answer begin, and the texts of one part: further than any of them is long. */
export const partSpan = 2 ** 36
export const textSpan = 2 ** 26

/** What stands in it begins so much further on in the answer. */
export function FormulasFrom({ start, children }: { readonly start: number; readonly children: ReactNode }) {
  const { allowance, from } = useContext(FormulaPlace)
  const place = useMemo(() => ({ allowance, from: from + start }), [allowance, from, start])
  return <FormulaPlace value={place}>{children}</FormulaPlace>
}
