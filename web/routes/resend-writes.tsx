/** Repeats the writes of closed pages, and reports those that are lost. Renders nothing. */
import { isPlanChange, reportLostChange } from '../features/chat/research/change-plan.ts'
import { refusalSentence } from '../lib/refusals/sentence.ts'
import type { Write } from '../sync/outbox.ts'
import { type Loss, ResendWrites as Resender } from '../sync/resend-writes.tsx'
import { toast } from '../ui/toaster.tsx'

export const ResendWrites = () => <Resender onLost={report} />

function report(write: Write, loss: Loss): void {
  if (isPlanChange(write)) reportLostChange(write, loss)
  // A newer value of another device wins.
  else if (typeof loss !== 'string') toast('error', refusalSentence(loss))
}
