/** The outcome of an action as text for the user. */
import type { MutatorResultDetails } from '@rocicorp/zero'
import { isRefusal, type Refusal, type RefusalCode, refusals } from '../../worker/contract/errors.ts'

export type Outcome =
  /** `isOpen`: the client stopped reporting the outcome; the write stays queued and is delivered when the page is visible again. */
  | { readonly ok: true; readonly isOpen?: true }
  | { readonly ok: false; readonly refusal: Refusal | { readonly code: 'offline'; readonly message: string } }

export function outcomeFrom(result: MutatorResultDetails): Outcome {
  if (result.type === 'success') return { ok: true }
  const { error } = result
  // The connection is in a state that accepts no writes; nothing was changed.
  if (error.type === 'zero') return { ok: false, refusal: { code: 'offline', message: 'Not saved: there is no connection. Try again.' } }
  if (isRefusal(error.details)) return { ok: false, refusal: error.details }
  // Invalid arguments arrive as the schema's message, which may contain a known code.
  const code = codeIn(error.message) ?? 'internal'
  return { ok: false, refusal: { code, message: refusals[code] } }
}

/** `isHidden`: the connection was closed because the page is hidden, after the client's rules had accepted the write. */
export const serverOutcomeFrom = (result: MutatorResultDetails, isHidden: boolean): Outcome =>
  isHidden && result.type === 'error' && result.error.type === 'zero' ? { ok: true, isOpen: true } : outcomeFrom(result)

const codeIn = (text: string): RefusalCode | undefined => (Object.keys(refusals) as RefusalCode[]).find((code) => text.includes(code))
