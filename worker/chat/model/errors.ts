/** Errors of a model call beside those of the SDK and the network. failures.ts maps all of them to codes and sentences. */
import { isRecord } from '../../contract/is-record.ts'
import type { FailureCode } from '../../contract/threads/messages.ts'

/** A stream that ended without a finish reason. */
export class CutShortError extends Error {
  override readonly name = 'CutShortError'
}

export class SilentModelError extends Error {
  override readonly name = 'SilentModelError'
}

/** Not an API error of the SDK, which would retry it. The cause says what failed. */
export class UnretriedError extends Error {
  override readonly name = 'UnretriedError'
}

export class UnreadableModelError extends Error {
  override readonly name = 'UnreadableModelError'
}

/** A document instead of a stream. */
export class NoStreamError extends Error {
  override readonly name = 'NoStreamError'
}

/** The credits that the turn reserved do not suffice for another request. */
export class CreditsSpentError extends Error {
  override readonly name = 'CreditsSpentError'
}

/** A file of a model that was not stored. */
export class MadeFileError extends Error {
  override readonly name = 'MadeFileError'
  readonly code: 'made_file_too_large' | 'made_file_not_kept' | 'storage_full' | 'storage_held'

  constructor(code: MadeFileError['code'], options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

/** An error that a provider reports inside its stream, with the HTTP status that matches it, if there is one. */
export class ModelStreamError extends Error {
  override readonly name = 'ModelStreamError'
  readonly statusCode: number | undefined
  /** The provider's error code, if there is one. */
  readonly code: unknown

  constructor(report: unknown) {
    const outer = asRecord(report)
    const { message = outer.error, statusCode, status, code, type } = { ...outer, ...asRecord(outer.error) }
    super(typeof message === 'string' ? message : 'the model reported an error', { cause: report })
    this.code = code
    const named = [statusCode, status, code].map(Number).find((number) => number >= 400 && number < 600)
    this.statusCode = named ?? [code, type].map((kind) => statusOfKind.get(String(kind))).find((number) => number !== undefined)
  }
}

/** The error in an event that is not part of an answer: a field `error`, or the whole event. */
export function reportedIn(event: Readonly<Record<string, unknown>>): ModelStreamError | null {
  const { error, object } = event
  const isReport = (error !== undefined && error !== null && error !== false && error !== '') || object === 'error'
  return isReport ? new ModelStreamError(event) : null
}

/** Error types of OpenAI and Anthropic, which other servers of their protocols use too, with the status that matches. */
const statusOfKind: ReadonlyMap<string, number> = new Map([
  ['insufficient_quota', 402],
  ['billing_error', 402],
  ['invalid_api_key', 401],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['overloaded_error', 529],
])

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

/** `raw`: the server's own finish reason. */
export type Finish = { readonly reason: string; readonly raw: string | undefined }

/** Finish reasons of an incomplete answer, in lower case. */
const cuts: ReadonlyMap<string, FailureCode> = new Map([
  // `length`: OpenAI. `model_length`: Mistral. `max_tokens`: Anthropic and Google, as servers pass them on.
  ...withCode('model_length', ['length', 'max_tokens', 'max_output_tokens', 'max_length', 'token_limit', 'model_length']),
  ...withCode('model_length', ['model_context_window_exceeded']),
  // `content_filter`: OpenAI. `sensitive`: Z.ai. `refusal`: Anthropic. The others: Google.
  ...withCode('model_filtered', ['content_filter', 'content-filter', 'sensitive', 'refusal']),
  ...withCode('model_filtered', ['safety', 'recitation', 'prohibited_content', 'blocklist', 'spii']),
])

function withCode(code: FailureCode, reasons: readonly string[]): readonly (readonly [string, FailureCode])[] {
  return reasons.map((reason) => [reason, code])
}

export const cutOf = (rawReason: string): FailureCode | null => cuts.get(rawReason.toLowerCase()) ?? null

/** Finish reasons that report an error, with the HTTP status that matches. */
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

export const isFault = (rawReason: string): boolean => faults.has(rawReason.toLowerCase())

export function cutBy(finish: Finish): FailureCode | null {
  if (finish.reason === 'length') return 'model_length'
  if (finish.reason === 'content-filter') return finish.raw === 'stop' ? null : 'model_filtered'
  return cutOf(finish.raw ?? '')
}

/** Throws if the stream ended without a finish reason, or with one that reports an error. */
export function checkFinish(finish: Finish | null): asserts finish is Finish {
  if (finish === null || (finish.reason === 'other' && !finish.raw)) throw new CutShortError('the stream ended before the answer did')
  const statusCode = finish.reason === 'error' ? 500 : faults.get((finish.raw ?? '').toLowerCase())
  if (statusCode !== undefined) throw Object.assign(new Error('the model reported an error'), { statusCode })
}
