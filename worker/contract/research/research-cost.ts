/**
 * Cost of continuing a research. An interrupted answer stores its payment. The page, the mutator and the reservation in D1 (db/turns.ts)
 * read this one value, regardless of other versions of the answer. Pure.
 */
import type { Ending, ResearchPayment } from '../threads/messages.ts'

type ResearchCost = { readonly credits: number; readonly researches: number }

/**
 * A research is charged once, regardless of interruptions. A more expensive model adds the difference. A stopped research and a completed
 * research are not continued: the next report is charged in full. `credits`: cost of the continuing model.
 */
export const continuationCost = (paid: ResearchPayment | null | undefined, credits: number): ResearchCost =>
  paid ? { credits: Math.max(0, credits - paid.credits), researches: 0 } : { credits, researches: 1 }

type EndedResearch = {
  readonly id: string
  /** Payment of the answer that it continues. */
  readonly paid: ResearchPayment | null
  /** Credits reserved for it. */
  readonly credits: number
  readonly ending: Ending
  readonly isCharged: boolean
}

/** The payment that a continuation can use. An attempt without a charge keeps the earlier payment, even if the user stopped it. */
export function remainingPayment({ id, paid, credits, ending, isCharged }: EndedResearch): ResearchPayment | null {
  if (!isCharged) return paid
  if (ending !== 'failed' && ending !== 'interrupted') return null
  return { by: paid?.by ?? id, credits: (paid?.credits ?? 0) + credits }
}
