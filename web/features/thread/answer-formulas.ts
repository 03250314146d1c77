/**
 * How much each answer may draw as formulas, kept outside of it: a turn that is scrolled out of sight is taken down, and comes back as it was.
 * Nothing of a person is in it, only how long the formulas of some id are.
 */
import { type FormulaAllowance, formulaAllowance } from '../../ui/markdown/formula-allowance.ts'

/** Ours: more than anybody goes back through. The one that was least lately on the page makes room. */
export const maxKeptAnswers = 500

const kept = new Map<string, FormulaAllowance>()

export function formulasOf(messageId: string): FormulaAllowance {
  const allowance = kept.get(messageId) ?? formulaAllowance()
  kept.delete(messageId)
  kept.set(messageId, allowance)
  for (const [id] of kept) {
    if (kept.size <= maxKeptAnswers) break
    kept.delete(id)
  }
  return allowance
}
