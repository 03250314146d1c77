/** Repeats the writes of closed pages, and reports those that are lost. Renders nothing. */
import { isMessage, returnMessage } from '../features/chat/composer/return-message.ts'
import { t } from '../features/chat/queue/texts/en.ts'
import { isPlanChange, reportLostChange } from '../features/chat/research/change-plan.ts'
import { refusalSentence } from '../lib/refusals/sentence.ts'
import type { Write } from '../sync/outbox.ts'
import { type Loss, ResendWrites as Resender } from '../sync/resend-writes.tsx'
import { toast } from '../ui/toaster.tsx'

export const ResendWrites = () => <Resender onLost={report} />

export function report(write: Write, loss: Loss): void {
  if (isPlanChange(write)) reportLostChange(write, loss)
  else if (isMessage(write)) returnMessage(write, loss)
  else if (write.name === 'queue.remove') reportLostRemoval(loss)
  // A newer value of another device wins.
  else if (typeof loss !== 'string') toast('error', refusalSentence(loss))
}

/** Its text is in the composer already. A message that is neither queued nor sent was removed before. */
function reportLostRemoval(loss: Loss): void {
  if (loss === 'changed') toast('error', t('leftQueue'))
  else if (loss !== 'gone' && loss.code !== 'not_found') toast('error', refusalSentence(loss))
}
