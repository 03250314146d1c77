/**
 * Sends changes of a plan. Text that the plan does not accept (for example, research was started on another device) moves to the composer.
 */
import { newThreadKey } from '../../../../worker/contract/threads/draft-key.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { type Act, type Mutation, settled } from '../../../sync/act.ts'
import { keep, type Write, writeOf } from '../../../sync/outbox.ts'
import type { Loss } from '../../../sync/resend-writes.tsx'
import { toast } from '../../../ui/toaster.tsx'
import { draftOf, setDraft } from '../composer/drafts.ts'
import { t } from './texts/en.ts'

/** `saw`: the text of the step (null: none), whether the plan is dismissed, or, for a start, whether its answer exists. */
export async function changePlan(act: Act, mutation: Mutation, saw: string | boolean | null): Promise<void> {
  const write = writeOf(mutation, saw)
  const outcome = await keep(write, settled(act(mutation)))
  if (outcome && !outcome.ok) returnText(write, reasonOf(outcome.refusal))
}

export const isPlanChange = ({ name }: Write): boolean => name.startsWith('research.')

/** A change of a closed page. The sentence names the change, because the user may have left the thread. */
export function reportLostChange(write: Write, loss: Loss): void {
  // The research runs already.
  if (write.name === 'research.start' && loss === 'changed') return
  returnText(write, `${undone(write)} ${reasonOf(loss)}`, loss === 'gone')
}

function reasonOf(loss: Loss): string {
  if (loss === 'changed') return t('planChangedElsewhere')
  return loss === 'gone' || loss.code === 'not_found' ? t('planDeleted') : refusalSentence(loss)
}

function undone({ name, args }: Write): string {
  switch (name) {
    case 'research.putStep':
      return t('stepNotSaved')
    case 'research.removeStep':
      return t('stepNotRemoved')
    case 'research.dismiss':
      return t(args.isDismissed === true ? 'planNotDismissed' : 'planNotRestored')
    default:
      return t('researchNotStarted')
  }
}

function returnText({ args }: Write, why: string, isThreadGone = false): void {
  const { threadId, text } = args
  if (typeof text === 'string') appendToDraft(isThreadGone ? newThreadKey : String(threadId), text)
  toast('error', typeof text === 'string' ? `${why} ${t('textInField')}` : why)
}

function appendToDraft(draftKey: string, text: string): void {
  const draft = draftOf(draftKey).get().text
  setDraft(draftKey, { text: draft.trim() === '' ? text : `${draft}\n\n${text}` })
}
