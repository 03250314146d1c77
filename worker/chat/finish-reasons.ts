/**
 * How models say that they are done. An end that is none of the answer's own is a failure, with what was written kept: its person has to know
 * that there would have been more. So what is queued behind it waits, as behind any that broke off: it was written in the hope of the whole,
 * and would take the way to continue away. A refusal in the model's own words has been said to its end.
 *
 * Servers have words besides OpenAI's, which the SDK calls `other`. One that is not known here is the end of an answer.
 */
import type { FailureCode } from '../contract/messages.ts'
import { CutShortError } from './model-errors.ts'

/** `raw`: in the server's word. */
export type Finish = { readonly reason: string; readonly raw: string | undefined }

/** Words for an answer that is not all that there would have been. */
const cuts: ReadonlyMap<string, FailureCode> = new Map([
  // Mistral
  ['model_length', 'model_length'],
  // Anthropic, as servers pass it on
  ['max_tokens', 'model_length'],
  ['model_context_window_exceeded', 'model_length'],
  // Z.ai
  ['sensitive', 'model_filtered'],
  // Google, as servers pass it on
  ['safety', 'model_filtered'],
  ['recitation', 'model_filtered'],
])

/** Words for something that went wrong, and the status that a refusal for the same reason has. */
const faults: ReadonlyMap<string, number> = new Map([
  // Mistral, OpenRouter, vLLM
  ['error', 500],
  // vLLM and SGLang, when they are shut down
  ['abort', 502],
  // Z.ai
  ['network_error', 502],
  // DeepSeek
  ['insufficient_system_resource', 503],
])

/** What some servers say with every piece that is not the last. */
const noWords: ReadonlySet<string> = new Set(['', 'null'])

const wordOf = ({ reason, raw }: Finish): string => (reason === 'other' ? (raw ?? '').toLowerCase() : '')

export function cutBy(finish: Finish): FailureCode | null {
  if (finish.reason === 'length') return 'model_length'
  if (finish.reason === 'content-filter') return finish.raw === 'stop' ? null : 'model_filtered'
  return cuts.get(wordOf(finish)) ?? null
}

/** Throws where nobody said that the answer is over, or that it could not go on. */
export function checkFinish(finish: Finish | null): asserts finish is Finish {
  if (finish === null || (finish.reason === 'other' && noWords.has(finish.raw ?? '')))
    throw new CutShortError('the stream ended before the answer did')
  const statusCode = finish.reason === 'error' ? 500 : faults.get(wordOf(finish))
  if (statusCode !== undefined) throw Object.assign(new Error('the model reported an error'), { statusCode })
}
