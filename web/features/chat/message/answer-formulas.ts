/**
 * Formula allowances by answer id, stored outside of the components: a turn outside of the view unmounts and must render the same when it
 * mounts again. Holds only ids and lengths, no user content.
 */
import { type FormulaAllowance, formulaAllowance } from '../../../ui/markdown/formula-allowance.ts'

/** Chosen: more answers than a user scrolls back through. The least recently used entry is evicted. */
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
