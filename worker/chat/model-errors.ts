/**
 * What goes wrong while a model answers, as it is thrown here, beside what the SDK and the network throw. What each of them means for a person
 * is told by failures.ts.
 */
import { isRecord } from '../contract/is-record.ts'

/** A stream that ended although the model never said that it was done. */
export class CutShortError extends Error {
  override readonly name = 'CutShortError'
}

export class SilentModelError extends Error {
  override readonly name = 'SilentModelError'
}

/** The model was not asked: those of other answers had not begun. */
export class LongLineError extends Error {
  override readonly name = 'LongLineError'
}

export class UnreadableModelError extends Error {
  override readonly name = 'UnreadableModelError'
}

/** A document where a stream should be. */
export class NoStreamError extends Error {
  override readonly name = 'NoStreamError'
}

/** A file that a model made, and that we do not keep. */
export class MadeFileError extends Error {
  override readonly name = 'MadeFileError'
  readonly code: 'made_file_too_large' | 'made_file_not_kept' | 'storage_full' | 'storage_held'

  constructor(code: MadeFileError['code'], options?: ErrorOptions) {
    super(code, options)
    this.code = code
  }
}

/** What a vendor's stream says went wrong, when it is not an exception already: text, and perhaps the status it would have had. */
export class ModelStreamError extends Error {
  override readonly name = 'ModelStreamError'
  readonly statusCode: number | undefined
  /** In the vendor's own words, where it has one. */
  readonly code: unknown

  constructor(said: unknown) {
    const outer = asRecord(said)
    const { message = outer.error, statusCode, status, code, type } = { ...outer, ...asRecord(outer.error) }
    super(typeof message === 'string' ? message : 'the model reported an error', { cause: said })
    this.code = code
    const named = [statusCode, status, code].map(Number).find((number) => number >= 400 && number < 600)
    this.statusCode = named ?? [code, type].map((kind) => statusOfKind.get(String(kind))).find((number) => number !== undefined)
  }
}

/** What the part of a stream that tells of an error is thrown as. */
export const streamError = (said: unknown): Error => (said instanceof Error ? said : new ModelStreamError(said))

/** What went wrong, where an event that is none of an answer's says so: in a field of its own, or as all that it is. */
export function reportedIn(event: Readonly<Record<string, unknown>>): ModelStreamError | null {
  const { error, object } = event
  const isReport = (error !== undefined && error !== null && error !== false && error !== '') || object === 'error'
  return isReport ? new ModelStreamError(event) : null
}

/** What OpenAI and Anthropic call the same in words; other servers of their protocols borrow these. */
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
