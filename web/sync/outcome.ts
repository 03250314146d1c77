/** What became of an action, in the words a person reads. */
import type { MutatorResultDetails } from '@rocicorp/zero'
import { isRefusal, type Refusal, type RefusalCode, refusals } from '../../worker/contract/errors.ts'

export type Outcome =
  /** `isOpen`: the client has given up telling, not the write, which it delivers when the page is looked at again. */
  | { readonly ok: true; readonly isOpen?: true }
  | { readonly ok: false; readonly refusal: Refusal | { readonly code: 'offline'; readonly message: string } }

export function outcomeFrom(result: MutatorResultDetails): Outcome {
  if (result.type === 'success') return { ok: true }
  const { error } = result
  // The connection is in a state in which the client accepts no writes; nothing was changed.
  if (error.type === 'zero') return { ok: false, refusal: { code: 'offline', message: 'Not saved: there is no connection. Try again.' } }
  if (isRefusal(error.details)) return { ok: false, refusal: error.details }
  // Arguments that fail their schema reach us as the schema's own message, which may be one of our codes.
  const code = codeIn(error.message) ?? 'internal'
  return { ok: false, refusal: { code, message: refusals[code] } }
}

/** `isHidden`: the connection was let go because nobody looks at the page, and the write had been accepted by the browser's rules. */
export const serverOutcomeFrom = (result: MutatorResultDetails, isHidden: boolean): Outcome =>
  isHidden && result.type === 'error' && result.error.type === 'zero' ? { ok: true, isOpen: true } : outcomeFrom(result)

const codeIn = (text: string): RefusalCode | undefined => (Object.keys(refusals) as RefusalCode[]).find((code) => text.includes(code))
