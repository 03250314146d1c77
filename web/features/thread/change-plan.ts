/**
 * What a person does with a plan, until they know what became of it, however often the page is reloaded. What was typed into a plan that takes
 * no more of it, as one that was started elsewhere meanwhile, is in the composer.
 */
import { planOf } from '../../../worker/contract/research.ts'
import { draftOf, setDraft } from '../../stores/drafts.ts'
import { forgetChange, keepChange, leaveChange, type PlanChange } from '../../stores/plan-changes.ts'
import { type Action, type Actions, settled } from '../../sync/actions.ts'
import type { ThreadState } from '../../sync/thread.ts'
import { toast } from '../../ui/toaster.tsx'

export type PlanActions = Pick<Actions, 'putStep' | 'removeStep' | 'dismissPlan' | 'startResearch'>

export const changePlan = async (actions: PlanActions, change: PlanChange): Promise<void> => {
  const why = await refusalOf(actions, change)
  if (why !== null) tell(change, why)
}

/** One of which nobody heard: its person may be elsewhere by now, and is told what it was. `draftKey`: where words go that are refused. */
export const changePlanAgain = async (actions: PlanActions, change: PlanChange, draftKey = change.threadId): Promise<void> => {
  const why = await refusalOf(actions, change)
  if (why !== null) tell(change, `${undone(change)} ${why}`, draftKey)
}

/**
 * What is done about one of which nobody heard. To do it once more changes nothing where it has arrived, and tells where it is refused; but what
 * somebody else has made of the plan since is not overwritten.
 */
export function fateOfChange(change: PlanChange, shown: ThreadState): 'unknown' | 'again' | 'arrived' | 'passed' {
  if (shown.state === 'missing') return 'again'
  if (shown.state === 'loading' || !shown.isComplete) return 'unknown'
  const row = shown.thread.messages.find(({ id }) => id === change.messageId)
  const plan = row && planOf(row.message.parts)
  if (!row || !plan) return 'again'
  const step = 'stepId' in change ? plan.steps.find(({ id }) => id === change.stepId) : undefined
  switch (change.kind) {
    case 'step':
      return [change.text, change.was, ...(change.earlier ?? [])].includes(step?.text ?? null) ? 'again' : 'passed'
    case 'removal':
      return !step || [change.was, ...(change.earlier ?? [])].includes(step.text) ? 'again' : 'passed'
    case 'dismissal': {
      const isAsWanted = (plan.isDismissed ?? false) === change.isDismissed
      return isAsWanted || (row.updatedAt ?? 0) <= change.sentAtMs ? 'again' : 'passed'
    }
    case 'start':
      // Whether another one was first, the server knows.
      return shown.thread.messages.some(({ id }) => id === change.answerId) ? 'arrived' : 'again'
  }
}

export function passChange(change: PlanChange): void {
  forgetChange(change)
  tell(change, `${undone(change)} The plan was changed elsewhere before.`)
}

/** Null when it was done, is looked after by others, or is nobody's any more: whoever sits here after signing out finds no words of it. */
async function refusalOf(actions: PlanActions, change: PlanChange): Promise<string | null> {
  const kept = keepChange(change)
  const outcome = await settled(act(actions, change))
  if (outcome.ok && outcome.isOpen) leaveChange(kept)
  else if (!forgetChange(kept)) return null
  if (outcome.ok) return null
  return outcome.refusal.code === 'not_found' ? 'Its plan was deleted meanwhile.' : outcome.refusal.message
}

function act({ putStep, removeStep, dismissPlan, startResearch }: PlanActions, change: PlanChange): Action {
  const { threadId, messageId } = change
  const plan = { threadId, messageId }
  switch (change.kind) {
    case 'step':
      return putStep(plan, change.stepId, change.text)
    case 'removal':
      return removeStep(plan, change.stepId)
    case 'dismissal':
      return dismissPlan(plan, change.isDismissed)
    case 'start': {
      const { answerId, modelId, after } = change
      return startResearch({ ...plan, answerId, modelId, ...(after !== undefined && { after }) })
    }
  }
}

function undone(change: PlanChange): string {
  switch (change.kind) {
    case 'step':
      return 'A step of a plan was not saved.'
    case 'removal':
      return 'A step of a plan was not removed.'
    case 'dismissal':
      return change.isDismissed ? 'A plan was not set aside.' : 'A plan was not taken up again.'
    case 'start':
      return 'A research was not started.'
  }
}

function tell(change: PlanChange, why: string, draftKey = change.threadId): void {
  if (change.kind === 'step') giveBack(draftKey, change.text)
  toast('error', change.kind === 'step' ? `${why} What you wrote is in the message field.` : why)
}

function giveBack(draftKey: string, text: string): void {
  const draft = draftOf(draftKey).get().text
  setDraft(draftKey, { text: draft.trim() === '' ? text : `${draft}\n\n${text}` })
}
