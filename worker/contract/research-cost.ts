/**
 * What going on with a research costs. An answer that broke carries what was paid for it, so that the page which names the price, the
 * mutator that refuses and the record that reserves (db/turns.ts) go by one fact, whatever became of the answers beside it. Pure.
 */
import type { Ending } from './messages.ts'

/**
 * `credits`: all that was paid for this research so far. `by`: the answer that paid first; whatever goes on with the same payment says the
 * same, and once something was made of it, all that said so say it no more.
 */
export type ResearchPayment = { readonly by: string; readonly credits: number }

export type ResearchCost = { readonly credits: number; readonly researches: number }

/**
 * A research costs once however often it breaks, and with a dearer model what that one costs more. What its person stopped did not break,
 * and where something was made of it meanwhile, what is made now is another report. `credits`: what the model that goes on costs.
 */
export const costOfGoingOn = (paid: ResearchPayment | null | undefined, credits: number): ResearchCost =>
  paid ? { credits: Math.max(0, credits - paid.credits), researches: 0 } : { credits, researches: 1 }

type EndedResearch = {
  readonly id: string
  /** Of what it went on with. */
  readonly paid: ResearchPayment | null
  /** What was reserved for it. */
  readonly credits: number
  readonly ending: Ending
  readonly isCharged: boolean
}

/** What whoever goes on with it need not pay again. An attempt that gave nothing takes nothing away, also where its person stopped it. */
export function paymentLeft({ id, paid, credits, ending, isCharged }: EndedResearch): ResearchPayment | null {
  if (!isCharged) return paid
  if (ending !== 'failed' && ending !== 'interrupted') return null
  return { by: paid?.by ?? id, credits: (paid?.credits ?? 0) + credits }
}
