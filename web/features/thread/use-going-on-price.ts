/** What going on with a research that did not get to its end costs, in words. */
import { creditsFor } from '../../../worker/contract/access.ts'
import { costOfGoingOn, type ResearchCost, researchAnswersIn } from '../../../worker/contract/research-cost.ts'
import { creditsText } from '../../lib/format-price.ts'
import { useMe, useThread } from '../../sync/hooks.ts'

/** Null asks for nothing. */
export function useGoingOnPrice(threadId: string, answerId: string | null): string | undefined {
  const model = useMe()?.model
  const { thread } = useThread(answerId === null ? undefined : threadId)
  if (answerId === null || !thread || !model) return undefined
  const answers = researchAnswersIn(thread.messages.map(({ message }) => message))
  return goingOnText(costOfGoingOn(answers, answerId, creditsFor(model)))
}

export function goingOnText({ credits, researches }: ResearchCost): string {
  if (researches > 0) return `${creditsText(credits)} and ${researches} research`
  return credits > 0 ? `${creditsText(credits)} more than was paid` : 'Costs nothing: it is paid already'
}
