import type { AnyRefusal } from '../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../lib/refusals/sentence.ts'
import { toast } from './toaster.tsx'

type Outcome = { readonly ok: true } | { readonly ok: false; readonly refusal: AnyRefusal }

/** Shows the reason if a write is refused. Resolves with true if it succeeded. */
export async function toastRefusal(ending: Promise<Outcome>): Promise<boolean> {
  const outcome = await ending
  if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
  return outcome.ok
}
