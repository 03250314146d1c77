/**
 * Why an answer failed. What a vendor, a gateway or the network says is turned into one of our codes with a sentence that a person
 * understands; the vendor's own words go to the log, because they may name keys, accounts and addresses.
 */
import type { FailureCode } from '../contract/messages.ts'

export type Failure = { readonly code: FailureCode | 'not_configured' | 'search_unavailable' | 'file_missing'; readonly message: string }

const sentences: Readonly<Record<Failure['code'], string>> = {
  model_refused_key: 'The model vendor refused our key. Another model may work.',
  model_out_of_funds: 'Our account at this model vendor has run out of funds. Another model may work.',
  model_busy: 'The model is too busy right now. Wait a moment and try again, or choose another model.',
  model_error: 'The model ran into an error. Try again, or choose another model.',
  model_unreachable: 'The connection to the model failed. Try again in a moment.',
  model_silent: 'The model stopped responding. Try again, or choose another model.',
  model_nonsense: 'The model sent something we could not read. Try again, or choose another model.',
  model_empty: 'The model finished without writing anything. Try again, or rephrase your message.',
  search_failed: 'Every search failed, so there is nothing to report. Try again in a moment.',
  answer_too_long: 'This answer grew too long to store and was cut here.',
  made_file_too_large: 'The model made a file that is too large to keep here. Ask for a smaller one.',
  not_configured: 'This model is not connected here. Choose another model.',
  file_missing: 'A file of this conversation is no longer stored. Attach it again, or ask without it.',
  search_unavailable: 'Search is not set up here. Ask without it.',
}

export const failure = (code: Failure['code']): Failure => ({ code, message: sentences[code] })

/** A stream that ended although the model never said that it was done. */
export class CutShortError extends Error {
  override readonly name = 'CutShortError'
}

export class SilentModelError extends Error {
  override readonly name = 'SilentModelError'
}

export class UnreadableModelError extends Error {
  override readonly name = 'UnreadableModelError'
}

/** What a vendor's stream says went wrong, when it is not an exception already: text, and perhaps the status it would have had. */
export class ModelStreamError extends Error {
  override readonly name = 'ModelStreamError'
  readonly statusCode: number | undefined

  constructor(said: unknown) {
    const outer = asRecord(said)
    const { message, statusCode, status, code } = { ...outer, ...asRecord(outer.error) }
    super(typeof message === 'string' ? message : 'the model reported an error', { cause: said })
    this.statusCode = [statusCode, status, code].map(Number).find((number) => number >= 400 && number < 600)
  }
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null ? { ...value } : {})

export function failureOf(error: unknown): Failure {
  const facts = factsOf(error)
  if (facts.names.includes('MissingFileError')) return failure('file_missing')
  if (facts.names.includes('SilentModelError')) return failure('model_silent')
  if (cutShort.test(facts.text)) return failure('model_unreachable')
  if (facts.names.some((name) => unreadable.has(name))) return failure('model_nonsense')
  if (facts.names.some((name) => noKey.has(name))) return failure('model_refused_key')
  if (facts.noAnswer) return failure('model_unreachable')
  if (facts.status !== null) return failure(codeOfStatus(facts.status, facts.text))
  // Said by the model's own stream, not by the network under it.
  return failure(facts.names.some((name) => inStream.has(name)) ? 'model_error' : 'model_unreachable')
}

/** Most vendors answer within seconds of a refusal; a person who waits longer than that should rather be told. */
const retryDelaysMs = [500, 1500] as const
const maxRetryAfterMs = 3000

/**
 * How long to wait before asking again, or null when asking again would not help. Only for a call that has said nothing yet:
 * a second answer must never follow half of a first. Our own policy, because the SDK's waits up to a minute for a `Retry-After`.
 */
export function retryDelayMs(error: unknown, attempt: number): number | null {
  const delayMs = retryDelaysMs[attempt - 1]
  if (delayMs === undefined) return null
  const { code } = failureOf(error)
  const { status, retryAfterMs } = factsOf(error)
  const passing = code === 'model_busy' || code === 'model_unreachable' || (code === 'model_error' && (status ?? 0) >= 500)
  if (!passing) return null
  if (retryAfterMs !== null && retryAfterMs > maxRetryAfterMs) return null
  return Math.max(delayMs, retryAfterMs ?? 0)
}

/** The SDK's own words for a stream that broke off politely, in an error that is also used for nonsense. */
const cutShort = /stream ended without a finish reason/i
const inStream: ReadonlySet<string> = new Set(['AI_StreamProviderError', 'ModelStreamError'])

const unreadable: ReadonlySet<string> = new Set([
  'UnreadableModelError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_InvalidStreamPartError',
  'AI_UIMessageStreamError',
  'AI_EmptyResponseBodyError',
  // It was told to use no more tools, and used one.
  'AI_ToolChoiceViolationError',
])

/** The SDK replaces the gateway's 401 by an error of its own that carries no status. */
const noKey: ReadonlySet<string> = new Set(['GatewayAuthenticationError', 'GatewayError', 'AI_LoadAPIKeyError'])

const isOutOfFunds = (text: string): boolean => /insufficient[_ ](quota|funds|balance|credits?)|billing|payment required/i.test(text)

function codeOfStatus(status: number, text: string): FailureCode {
  if (status === 402 || isOutOfFunds(text)) return 'model_out_of_funds'
  if (status === 401 || status === 403) return 'model_refused_key'
  if (status === 429 || status === 503 || status === 529) return 'model_busy'
  if (status === 408 || status === 502 || status === 504) return 'model_unreachable'
  return 'model_error'
}

type Facts = {
  readonly names: readonly string[]
  /** Of a refusal; a connection that broke after a 200 has none. */
  readonly status: number | null
  /** The call never got as far as a status. */
  readonly noAnswer: boolean
  readonly text: string
  readonly retryAfterMs: number | null
}

/** What the error and its causes say: the outermost status counts, every name and text does. */
function factsOf(error: unknown): Facts {
  const names: string[] = []
  const texts: string[] = []
  let status: number | null = null
  let retryAfterMs: number | null = null
  let answered = false
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 6; depth++) {
    const { name, message, statusCode, responseBody, responseHeaders, cause } = at as Record<string, unknown>
    if (typeof name === 'string') names.push(name)
    if (typeof message === 'string') texts.push(message)
    if (typeof responseBody === 'string') texts.push(responseBody)
    if (typeof statusCode === 'number' && statusCode >= 400) status ??= statusCode
    if (name === 'AI_APICallError' && typeof statusCode === 'number') answered = true
    if (isHeaders(responseHeaders)) retryAfterMs ??= retryAfterOf(responseHeaders)
    at = cause
  }
  // The gateway's client puts a 500 of its own around a call that nobody answered.
  const noAnswer = !answered && names.some((name) => name === 'AI_APICallError' || name.startsWith('Gateway'))
  return { names, status, noAnswer, text: texts.join('\n'), retryAfterMs }
}

const isHeaders = (value: unknown): value is Readonly<Record<string, string>> => typeof value === 'object' && value !== null

/** Seconds, or `retry-after-ms`; a date is read as "not soon", because vendors who send one mean minutes. */
function retryAfterOf(headers: Readonly<Record<string, string>>): number | null {
  const inMs = headers['retry-after-ms']
  if (inMs !== undefined && Number.isFinite(Number(inMs))) return Number(inMs)
  const inSeconds = headers['retry-after']
  if (inSeconds === undefined) return null
  return Number.isFinite(Number(inSeconds)) ? Number(inSeconds) * 1000 : Number.POSITIVE_INFINITY
}
