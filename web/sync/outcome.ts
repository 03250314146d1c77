/** The outcome of an action. */
import type { MutatorResultDetails } from '@rocicorp/zero'
import { isRefusal, refusal, refusalCodeIn } from '../../worker/contract/errors.ts'
import type { AnyRefusal } from '../lib/refusals/sending-sentence.ts'

export type Outcome =
  /** `isPending`: the client stopped reporting the outcome; the write stays queued and is delivered when the page is visible again. */
  { readonly ok: true; readonly isPending?: true } | { readonly ok: false; readonly refusal: AnyRefusal }

export function outcomeFrom(result: MutatorResultDetails): Outcome {
  if (result.type === 'success') return { ok: true }
  const { error } = result
  // The connection is in a state that accepts no writes; nothing was changed.
  if (error.type === 'zero') return { ok: false, refusal: { code: 'offline' } }
  if (isRefusal(error.details)) return { ok: false, refusal: error.details }
  // Invalid arguments arrive as the schema's message, which may contain a known code.
  return { ok: false, refusal: refusal(refusalCodeIn(error.message) ?? 'internal') }
}

/** `isHidden`: the connection was closed because the page is hidden, after the client's rules had accepted the write. */
export const serverOutcomeFrom = (result: MutatorResultDetails, isHidden: boolean): Outcome =>
  isHidden && result.type === 'error' && result.error.type === 'zero' ? { ok: true, isPending: true } : outcomeFrom(result)
