/** Saves a step of a plan. What was typed into a plan that takes no more of it, as one that was started elsewhere meanwhile, is in the composer. */
import { planOf } from '../../../worker/contract/research.ts'
import { draftOf, setDraft } from '../../stores/drafts.ts'
import { forgetStep, keepStep, leaveStep, type SentStep } from '../../stores/plan-steps.ts'
import { type Actions, settled } from '../../sync/actions.ts'
import type { ThreadState } from '../../sync/hooks.ts'
import { toast } from '../../ui/toaster.tsx'

export async function savePlanStep({ putStep }: Pick<Actions, 'putStep'>, step: SentStep): Promise<void> {
  const { threadId, messageId, stepId, text } = step
  keepStep(step)
  const outcome = await settled(putStep({ threadId, messageId }, stepId, text))
  if (outcome.ok && outcome.isOpen) return leaveStep(step)
  forgetStep(step)
  if (!outcome.ok) giveBack(step, outcome.refusal.message)
}

/**
 * What is done about one of which nobody heard. To save it once more changes nothing where it has arrived, and tells where it is refused; but
 * what somebody else has made of the step since is not overwritten.
 */
export function fateOfStep({ messageId, stepId, text, was }: SentStep, shown: ThreadState): 'unknown' | 'again' | 'passed' {
  if (shown.state === 'missing') return 'again'
  if (shown.state === 'loading' || !shown.isComplete) return 'unknown'
  const plan = shown.thread.messages.find(({ id }) => id === messageId)
  if (!plan) return 'again'
  const step = planOf(plan.message.parts)?.steps.find(({ id }) => id === stepId)
  if (step) return step.text === text || step.text === was ? 'again' : 'passed'
  return was === null ? 'again' : 'passed'
}

export function passStep(step: SentStep): void {
  forgetStep(step)
  giveBack(step, 'A step of the plan was changed elsewhere before your change to it was saved.')
}

function giveBack({ threadId, text }: SentStep, why: string): void {
  const draft = draftOf(threadId).get().text
  setDraft(threadId, { text: draft.trim() === '' ? text : `${draft}\n\n${text}` })
  toast('error', `${why} What you wrote is in the message field.`)
}
