/**
 * Maps the errors of providers, gateways and the network to a failure code. The provider's own text is only logged, because it may contain
 * keys, accounts and addresses.
 */

import type { FailureCode, RefusedFile } from '../../contract/threads/messages.ts'
import { MadeFileError } from './errors.ts'

export type Failure = {
  readonly code:
    | FailureCode
    | (
        | 'not_configured'
        | 'search_unavailable'
        | 'file_missing'
        | 'model_not_installed'
        | 'message_over_budget'
        | 'storage_full'
        | 'storage_held'
      )
  /** How long the provider asks to wait. */
  readonly retryInMs?: number
  /** For `file_refused`. */
  readonly files?: readonly RefusedFile[]
}

export const failure = (code: Failure['code']): Failure => ({ code })

export function failureOf(error: unknown, nowMs = Date.now()): Failure {
  const details = readErrorDetails(error)
  const code = codeOf(details)
  const waitMs = waitMsOf(details, nowMs)
  if (code !== 'model_busy' || waitMs === null || !(waitMs > 0)) return failure(code)
  return { code, retryInMs: Math.ceil(waitMs) }
}

/** How long the provider asks to wait before a retry, in milliseconds; null if it does not say. */
export const retryWaitMs = (error: unknown): number | null => waitMsOf(readErrorDetails(error), Date.now())

const waitMsOf = ({ retryAfterMs, retryAtMs }: ErrorDetails, nowMs: number): number | null =>
  retryAtMs === null ? retryAfterMs : retryAtMs - nowMs

function codeOf(details: ErrorDetails): Failure['code'] {
  if (details.madeFile) return details.madeFile
  if (details.names.includes('MissingFileError')) return 'file_missing'
  if (details.names.includes('CreditsSpentError')) return 'credits_spent'
  if (details.names.includes('SilentModelError')) return 'model_silent'
  if (details.names.includes('NoStreamError')) return 'model_no_stream'
  if (cutShort.test(details.text)) return 'model_unreachable'
  if (details.names.some((name) => unreadable.has(name)) || packageFailed.test(details.text)) return 'model_nonsense'
  if (details.names.some((name) => noKey.has(name))) return 'model_refused_key'
  if (details.noAnswer) return 'model_unreachable'
  if (isOutOfFunds(details)) return 'model_out_of_funds'
  if (details.status !== null) return codeOfStatus(details.status, details.text)
  if (!details.names.some((name) => inStream.has(name))) return 'model_unreachable'
  // Reported inside the model's stream, so the connection works.
  if (filteredPattern.test(details.text)) return 'model_filtered'
  return isTooLong(details.text) ? 'conversation_too_long' : 'model_error'
}

/** The SDK's texts for a stream that ended early. Their error types are also used for invalid streams. */
const cutShort = /stream ended without a finish (?:reason|chunk)/i
/** V8's text for the TypeError that the gateway's package throws on an event that is `null`. */
const packageFailed = /^Cannot read properties of (?:null|undefined)/m
const inStream: ReadonlySet<string> = new Set(['AI_StreamProviderError', 'ModelStreamError'])

const unreadable: ReadonlySet<string> = new Set([
  'UnreadableModelError',
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_InvalidStreamPartError',
  'AI_UIMessageStreamError',
  'AI_EmptyResponseBodyError',
  // The model called a tool although `toolChoice` was `none`.
  'AI_ToolChoiceViolationError',
])

/** The SDK replaces the gateway's 401 by an error of its own that carries no status. */
const noKey: ReadonlySet<string> = new Set(['GatewayAuthenticationError', 'GatewayError', 'AI_LoadAPIKeyError'])

/**
 * True if the account at the provider has no credit left. Rate limits use similar texts; an error that names a time to retry is a rate limit.
 */
const isOutOfFunds = ({ status, text, retryAfterMs, retryAtMs }: ErrorDetails): boolean =>
  status === 402 ||
  noFundsPattern.test(text) ||
  (retryAfterMs === null && retryAtMs === null && spentQuota.test(text) && !retrySoonPattern.test(text))
const noFundsPattern =
  /insufficient[_ ](?:quota|funds|balance|credits?)|payment required|credit balance is too low|billing[_ ](?:hard[_ ]limit|not[_ ]active)|not have any credits|n['’]t have any credits/i
const spentQuota = /exceed\w*[ _](?:\w+[ _]){0,2}quota/i
const retrySoonPattern = /\b(?:retry|again) (?:in|after)\b|retrydelay|per[ _-]?minute/i

/** True if the conversation exceeds the model's context. Rate limits per minute use some of the same words and are excluded. */
const isTooLong = (text: string): boolean =>
  tooLong.some((pattern) => pattern.test(text)) && !/per (?:minute|min|hour|day)\b|\bwait\b/i.test(text)
const tooLong = [
  /context[_ ](?:length|window|size|limit)[_ ]exceeded|exceed_context_size|string_above_max_length|request_too_large/i,
  /max(?:imum)? (?:context|prompt|model|input) (?:length|size|tokens)|input token count|range of input length/i,
  /(?:prompt|input|conversation|messages?)(?: \([^)]{0,60}\))?(?: is| are)? too (?:long|large)|reduce the length of the (?:messages|prompt|input)|too many (?:input )?tokens/i,
  /(?:exceed\w*|(?:greater|longer|larger) than)[^\n]{0,60}(?:context (?:length|window|size|limit)|max(?:imum)? (?:length|size|number of tokens)|token limit)/i,
  /context length of only/i,
]

/** HTTP 413: the request is larger than the server accepts. */
const contentTooLarge = 413

/** Texts of OpenAI, Azure, OpenRouter, xAI, Alibaba, DeepSeek and Z.ai for a rejected prompt, some of them with the status of a bad key. */
const filteredPattern =
  /content[_ ]?filter|content[_ ]policy|content management policy|moderation_blocked|(?:input|prompt) was flagged|safety system|violates usage guidelines|data_?inspection_?failed|inappropriate content|content exists risk|unsafe or sensitive content/i
/** Statuses of a request that is rejected for its content. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 403, 422, 451])

function codeOfStatus(status: number, text: string): FailureCode {
  if (refusedStatuses.has(status) && filteredPattern.test(text)) return 'model_filtered'
  if (status === 401 || status === 403) return 'model_refused_key'
  if (status === 429 || status === 503 || status === 529) return 'model_busy'
  if (status === contentTooLarge || isTooLong(text)) return 'conversation_too_long'
  if (status === 408 || status === 502 || status === 504) return 'model_unreachable'
  return 'model_error'
}

type ErrorDetails = {
  readonly names: readonly string[]
  /** The HTTP status of a refusal. Null for a connection that broke after a 200. */
  readonly status: number | null
  /** The request got no HTTP status. */
  readonly noAnswer: boolean
  readonly madeFile: MadeFileError['code'] | null
  readonly text: string
  /** When to retry: after a time, or at a time. */
  readonly retryAfterMs: number | null
  readonly retryAtMs: number | null
}

/** Reads the error and its causes: the outermost status, and all names and texts. */
export function readErrorDetails(error: unknown): ErrorDetails {
  const names: string[] = []
  const texts: string[] = []
  let status: number | null = null
  let headers: Readonly<Record<string, string>> = {}
  let answered = false
  let madeFile: ErrorDetails['madeFile'] = null
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 6; depth++) {
    const { name, message, code, statusCode, responseBody, responseHeaders, cause, lastError } = at as Record<string, unknown>
    if (typeof name === 'string') names.push(name)
    if (typeof message === 'string') texts.push(message)
    if (typeof code === 'string') texts.push(code)
    if (typeof responseBody === 'string') texts.push(responseBody)
    if (typeof statusCode === 'number' && statusCode >= 400) status ??= statusCode
    if (name === 'AI_APICallError' && typeof statusCode === 'number') answered = true
    if (isHeaders(responseHeaders)) headers = { ...responseHeaders, ...headers }
    if (at instanceof MadeFileError) madeFile ??= at.code
    // The SDK's RetryError.
    at = cause ?? lastError
  }
  // The gateway's package reports a request without a response as a 500.
  const noAnswer = !answered && names.some((name) => name === 'AI_APICallError' || name.startsWith('Gateway'))
  return { names, status, noAnswer, madeFile, text: texts.join('\n'), ...retryOf(headers) }
}

const isHeaders = (value: unknown): value is Readonly<Record<string, string>> => typeof value === 'object' && value !== null

/** Seconds or a date, or `retry-after-ms`. */
function retryOf({
  'retry-after-ms': inMs,
  'retry-after': after,
}: Readonly<Record<string, string>>): Pick<ErrorDetails, 'retryAfterMs' | 'retryAtMs'> {
  if (inMs !== undefined && Number.isFinite(Number(inMs))) return { retryAfterMs: Number(inMs), retryAtMs: null }
  if (after === undefined) return { retryAfterMs: null, retryAtMs: null }
  if (Number.isFinite(Number(after))) return { retryAfterMs: Number(after) * 1000, retryAtMs: null }
  return { retryAfterMs: null, retryAtMs: Date.parse(after) }
}
