/**
 * Why an answer failed. What a vendor, a gateway or the network says is turned into one of our codes with a sentence that a person
 * understands; the vendor's own words go to the log, because they may name keys, accounts and addresses.
 */

import { refusals } from '../contract/errors.ts'
import { generationMaxMs } from '../contract/limits.ts'
import type { FailureCode } from '../contract/messages.ts'
import { MadeFileError } from './model-errors.ts'

export type Failure = {
  readonly code:
    | FailureCode
    | ('not_configured' | 'search_unavailable' | 'file_missing' | 'model_not_installed' | 'storage_full' | 'storage_held')
  readonly message: string
}

const sentences: Readonly<Record<Failure['code'], string>> = {
  model_refused_key: 'The model vendor refused our key. Another model may work.',
  model_out_of_funds: 'Our account at this model vendor has run out of funds. Another model may work.',
  model_busy: 'The model is too busy right now. Wait a moment and try again, or choose another model.',
  model_error: 'The model ran into an error. Try again, or choose another model.',
  model_unreachable: 'The connection to the model failed. Try again in a moment.',
  model_silent: 'The model stopped responding. Try again, or choose another model.',
  answers_waiting: 'Too many of your other answers were still waiting for their models. Try again when they have begun, or stop some.',
  model_nonsense: 'The model sent something we could not read. Try again, or choose another model.',
  model_no_stream: 'The server of this model sent a page or a document instead of an answer. Try again later, or choose another model.',
  conversation_too_long:
    'This conversation is longer than this model can read. Start a new thread, leave files out, or choose another model.',
  model_length: 'The model reached its length limit here.',
  model_filtered: 'The filter of the model’s vendor ended this answer. Rephrase your message, or choose another model.',
  model_empty: 'The model finished without writing anything. Try again, or rephrase your message.',
  search_failed: 'Every search failed, so there is nothing to report. Try again in a moment.',
  answer_too_long: 'This answer grew too long to store and was cut here.',
  answer_too_slow: `The answer took longer than ${generationMaxMs / 60_000} minutes and was cut here.`,
  made_file_too_large: 'The model made a file that is too large to keep here. Ask for a smaller one.',
  made_file_not_kept: 'The model made a file, and storing it failed. Try again.',
  storage_full: refusals.storage_full,
  storage_held: refusals.storage_held,
  not_configured: 'This model is not connected here. Choose another model.',
  model_not_installed: refusals.model_not_installed,
  file_missing: 'A file of this conversation is no longer stored. Attach it again, or ask without it.',
  search_unavailable: 'Search is not set up here. Ask without it.',
}

export const failure = (code: Failure['code']): Failure => ({ code, message: sentences[code] })

export function failureOf(error: unknown, nowMs = Date.now()): Failure {
  const facts = factsOf(error)
  const code = codeOf(facts)
  const waitMs = facts.retryAtMs === null ? facts.retryAfterMs : facts.retryAtMs - nowMs
  if (code !== 'model_busy' || waitMs === null || !(waitMs > 0)) return failure(code)
  return { code, message: `The model is too busy right now. Try again in about ${durationText(waitMs)}, or choose another model.` }
}

/** Rounded up: whoever comes back then should find the model free. */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return counted(seconds <= 10 ? seconds : Math.ceil(seconds / 10) * 10, 'second')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 100) return counted(minutes, 'minute')
  const hours = Math.ceil(minutes / 60)
  return hours < 48 ? counted(hours, 'hour') : counted(Math.ceil(hours / 24), 'day')
}

const counted = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`

function codeOf(facts: Facts): Failure['code'] {
  if (facts.madeFile) return facts.madeFile
  if (facts.names.includes('MissingFileError')) return 'file_missing'
  if (facts.names.includes('SilentModelError')) return 'model_silent'
  if (facts.names.includes('NoStreamError')) return 'model_no_stream'
  if (facts.names.includes('LongLineError')) return 'answers_waiting'
  if (cutShort.test(facts.text)) return 'model_unreachable'
  if (facts.names.some((name) => unreadable.has(name))) return 'model_nonsense'
  if (facts.names.some((name) => noKey.has(name))) return 'model_refused_key'
  if (facts.noAnswer) return 'model_unreachable'
  if (isOutOfFunds(facts)) return 'model_out_of_funds'
  if (facts.status !== null) return codeOfStatus(facts.status, facts.text)
  if (!facts.names.some((name) => inStream.has(name))) return 'model_unreachable'
  // Said by the model's own stream, not by the network under it.
  if (saysFiltered.test(facts.text)) return 'model_filtered'
  return isTooLong(facts.text) ? 'conversation_too_long' : 'model_error'
}

/** Most vendors answer within seconds of a refusal; a person who waits longer than that should rather be told. */
const retryDelaysMs = [500, 1500] as const
const maxRetryAfterMs = 3000

/**
 * How long to wait before asking again, or null when asking again would not help. Only for a request of which nothing has come yet
 * (asked-again.ts). Our own policy, because the SDK's waits up to a minute for a `Retry-After`.
 */
export function retryDelayMs(error: unknown, attempt: number): number | null {
  const delayMs = retryDelaysMs[attempt - 1]
  if (delayMs === undefined) return null
  const facts = factsOf(error)
  const code = codeOf(facts)
  const { status, retryAtMs } = facts
  // Vendors who name a date mean minutes.
  const retryAfterMs = retryAtMs === null ? facts.retryAfterMs : Number.POSITIVE_INFINITY
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

/**
 * That nothing is left to pay with. A quota may be one of a minute, and vendors that are only busy speak of plans and billing, too: where there
 * is a time to come back, it is not money that is missing.
 */
const isOutOfFunds = ({ status, text, retryAfterMs, retryAtMs }: Facts): boolean =>
  status === 402 || noFunds.test(text) || (retryAfterMs === null && retryAtMs === null && spentQuota.test(text) && !soonAgain.test(text))
const noFunds =
  /insufficient[_ ](?:quota|funds|balance|credits?)|payment required|credit balance is too low|billing[_ ](?:hard[_ ]limit|not[_ ]active)|not have any credits|n['’]t have any credits/i
const spentQuota = /exceed\w*[ _](?:\w+[ _]){0,2}quota/i
const soonAgain = /\b(?:retry|again) (?:in|after)\b|retrydelay|per[ _-]?minute/i

/**
 * What vendors say of a conversation that does not fit into their model, each in words of its own: as a code, by what the longest may be, or
 * by what is too long. How much may be asked in a minute is said with some of the same words, and is another matter.
 */
const isTooLong = (text: string): boolean =>
  tooLong.some((said) => said.test(text)) && !/per (?:minute|min|hour|day)\b|\bwait\b/i.test(text)
const tooLong = [
  /context[_ ](?:length|window|size|limit)[_ ]exceeded|exceed_context_size|string_above_max_length|request_too_large/i,
  /max(?:imum)? (?:context|prompt|model|input) (?:length|size|tokens)|input token count|range of input length/i,
  /(?:prompt|input|conversation|messages?)(?: \([^)]{0,60}\))?(?: is| are)? too (?:long|large)|reduce the length of the (?:messages|prompt|input)|too many (?:input )?tokens/i,
  /(?:exceed\w*|(?:greater|longer|larger) than)[^\n]{0,60}(?:context (?:length|window|size|limit)|max(?:imum)? (?:length|size|number of tokens)|token limit)/i,
  /context length of only/i,
]

/** Of a request that is larger than its server takes. */
const contentTooLarge = 413

/**
 * What vendors say of a question that their filter does not let pass, some with the status of a refused key: OpenAI, Azure, OpenRouter, xAI,
 * Alibaba, DeepSeek, Z.ai.
 */
const saysFiltered =
  /content[_ ]?filter|content[_ ]policy|content management policy|moderation_blocked|(?:input|prompt) was flagged|safety system|violates usage guidelines|data_?inspection_?failed|inappropriate content|content exists risk|unsafe or sensitive content/i
/** With these a request is refused for what stands in it. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 403, 422, 451])

function codeOfStatus(status: number, text: string): FailureCode {
  if (refusedStatuses.has(status) && saysFiltered.test(text)) return 'model_filtered'
  if (status === 401 || status === 403) return 'model_refused_key'
  if (status === 429 || status === 503 || status === 529) return 'model_busy'
  if (status === contentTooLarge || isTooLong(text)) return 'conversation_too_long'
  if (status === 408 || status === 502 || status === 504) return 'model_unreachable'
  return 'model_error'
}

type Facts = {
  readonly names: readonly string[]
  /** Of a refusal; a connection that broke after a 200 has none. */
  readonly status: number | null
  /** The call never got as far as a status. */
  readonly noAnswer: boolean
  readonly madeFile: MadeFileError['code'] | null
  readonly text: string
  /** When it may be asked again: after so long, or at that time. */
  readonly retryAfterMs: number | null
  readonly retryAtMs: number | null
}

/** What the error and its causes say: the outermost status counts, every name and text does. */
function factsOf(error: unknown): Facts {
  const names: string[] = []
  const texts: string[] = []
  let status: number | null = null
  let headers: Readonly<Record<string, string>> = {}
  let answered = false
  let madeFile: Facts['madeFile'] = null
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 6; depth++) {
    const { name, message, code, statusCode, responseBody, responseHeaders, cause } = at as Record<string, unknown>
    if (typeof name === 'string') names.push(name)
    if (typeof message === 'string') texts.push(message)
    if (typeof code === 'string') texts.push(code)
    if (typeof responseBody === 'string') texts.push(responseBody)
    if (typeof statusCode === 'number' && statusCode >= 400) status ??= statusCode
    if (name === 'AI_APICallError' && typeof statusCode === 'number') answered = true
    if (isHeaders(responseHeaders)) headers = { ...responseHeaders, ...headers }
    if (at instanceof MadeFileError) madeFile ??= at.code
    at = cause
  }
  // The gateway's client puts a 500 of its own around a call that nobody answered.
  const noAnswer = !answered && names.some((name) => name === 'AI_APICallError' || name.startsWith('Gateway'))
  return { names, status, noAnswer, madeFile, text: texts.join('\n'), ...retryOf(headers) }
}

const isHeaders = (value: unknown): value is Readonly<Record<string, string>> => typeof value === 'object' && value !== null

/** Seconds or a date, or `retry-after-ms`. */
function retryOf({
  'retry-after-ms': inMs,
  'retry-after': after,
}: Readonly<Record<string, string>>): Pick<Facts, 'retryAfterMs' | 'retryAtMs'> {
  if (inMs !== undefined && Number.isFinite(Number(inMs))) return { retryAfterMs: Number(inMs), retryAtMs: null }
  if (after === undefined) return { retryAfterMs: null, retryAtMs: null }
  if (Number.isFinite(Number(after))) return { retryAfterMs: Number(after) * 1000, retryAtMs: null }
  return { retryAfterMs: null, retryAtMs: Date.parse(after) }
}
