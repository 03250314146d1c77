/** The price label for continuing an incomplete research. */
import { creditsFor } from '../../../../worker/contract/access.ts'
import type { ResearchPayment } from '../../../../worker/contract/messages.ts'
import { costOfGoingOn } from '../../../../worker/contract/research-cost.ts'
import { creditsText } from '../../../lib/format-price.ts'
import type { ModelRow } from '../../../sync/rows.ts'

export function goingOnPrice(paid: ResearchPayment | undefined, model: Pick<ModelRow, 'credits'>): string {
  const { credits, researches } = costOfGoingOn(paid, creditsFor(model))
  if (researches > 0) return `${creditsText(credits)} and ${researches} research`
  return credits > 0 ? `${creditsText(credits)} more than was paid` : 'Costs nothing: it is paid already'
}
