/**
 * Sends changes of a plan and stores each one until its result is known, also across reloads. Text for a plan that accepts no more changes
 * (for example, research was started on another device) moves to the composer.
 */
import { mutators } from '../../../../worker/contract/mutators.ts'
import { researchPlanOf } from '../../../../worker/contract/research.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../../lib/server-clock.ts'
import { type Act, type Mutation, settled } from '../../../sync/act.ts'
import type { ThreadState } from '../../../sync/thread.ts'
import { toast } from '../../../ui/toaster.tsx'
import { draftOf, setDraft } from '../composer/drafts.ts'
import { abandonPlanChange, addPlanChange, type PlanChange, resolvePlanChange } from './plan-changes.ts'
import { t } from './texts/en.ts'

export const changePlan = async (act: Act, change: PlanChange): Promise<void> => {
  const why = await refusalOf(act, change)
  if (why !== null) returnRefusedChange(change, why)
}

/**
 * Sends an unacknowledged change again. Its message names the change because the user may have left the thread. `draftKey`: receives the
 * text of a refused change.
 */
export const resendPlanChange = async (act: Act, change: PlanChange, draftKey = change.threadId): Promise<void> => {
  const why = await refusalOf(act, change)
  if (why !== null) returnRefusedChange(change, `${undone(change)} ${why}`, draftKey)
}

/**
 * Decides about an unacknowledged change. Sending it again is idempotent and returns the refusal if there is one. A later change of the
 * plan by another tab or user is not overwritten.
 */
export function statusOfPlanChange(change: PlanChange, shown: ThreadState): 'unknown' | 'resend' | 'arrived' | 'superseded' {
  if (shown.state === 'missing') return 'resend'
  if (shown.state === 'loading' || !shown.isComplete) return 'unknown'
  const row = shown.thread.messages.find(({ id }) => id === change.messageId)
  const plan = row && researchPlanOf(row.message.parts)
  if (!row || !plan) return 'resend'
  const step = 'stepId' in change ? plan.steps.find(({ id }) => id === change.stepId) : undefined
  switch (change.kind) {
    case 'step':
      return [change.text, change.was, ...(change.earlier ?? [])].includes(step?.text ?? null) ? 'resend' : 'superseded'
    case 'removal':
      return !step || [change.was, ...(change.earlier ?? [])].includes(step.text) ? 'resend' : 'superseded'
    case 'dismissal': {
      const isAsWanted = (plan.isDismissed ?? false) === change.isDismissed
      return isAsWanted || (row.updatedAt ?? 0) <= change.sentAtMs ? 'resend' : 'superseded'
    }
    case 'start':
      // Only the server can report if another start was first.
      return shown.thread.messages.some(({ id }) => id === change.answerId) ? 'arrived' : 'resend'
  }
}

export function discardPlanChange(change: PlanChange): void {
  resolvePlanChange(change)
  returnRefusedChange(change, `${undone(change)} ${t('planChangedElsewhere')}`)
}

/** Null if the change succeeded, is pending elsewhere, or belongs to a user who signed out: the next user must not see its text. */
async function refusalOf(act: Act, change: PlanChange): Promise<string | null> {
  const stored = addPlanChange(change)
  const outcome = await settled(act(mutationOf(change)))
  if (outcome.ok && outcome.isPending) abandonPlanChange(stored)
  else if (!resolvePlanChange(stored)) return null
  if (outcome.ok) return null
  return outcome.refusal.code === 'not_found' ? t('planDeleted') : refusalSentence(outcome.refusal)
}

function mutationOf(change: PlanChange): Mutation {
  const { threadId, messageId } = change
  const plan = { threadId, messageId, at: serverNowMs() }
  switch (change.kind) {
    case 'step':
      return mutators.research.putStep({ ...plan, stepId: change.stepId, text: change.text })
    case 'removal':
      return mutators.research.removeStep({ ...plan, stepId: change.stepId })
    case 'dismissal':
      return mutators.research.dismiss({ ...plan, isDismissed: change.isDismissed })
    case 'start': {
      const { answerId, modelId, after } = change
      return mutators.research.start({ ...plan, answerId, modelId, ...(after !== undefined && { after }) })
    }
  }
}

function undone(change: PlanChange): string {
  switch (change.kind) {
    case 'step':
      return t('stepNotSaved')
    case 'removal':
      return t('stepNotRemoved')
    case 'dismissal':
      return t(change.isDismissed ? 'planNotDismissed' : 'planNotRestored')
    case 'start':
      return t('researchNotStarted')
  }
}

function returnRefusedChange(change: PlanChange, why: string, draftKey = change.threadId): void {
  if (change.kind === 'step') appendToDraft(draftKey, change.text)
  toast('error', change.kind === 'step' ? `${why} ${t('textInField')}` : why)
}

function appendToDraft(draftKey: string, text: string): void {
  const draft = draftOf(draftKey).get().text
  setDraft(draftKey, { text: draft.trim() === '' ? text : `${draft}\n\n${text}` })
}
