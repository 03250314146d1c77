/**
 * Every refusal a client may receive, with the sentence a person reads. A code is stable; the sentence may improve.
 * Mutators throw these through `refuse`; the JSON API sends the same shape as its error body.
 */
import { ApplicationError } from '@rocicorp/zero'

export const refusals = {
  invalid_request: 'That request could not be understood.',
  message_empty: 'Message cannot be empty',
  message_too_long: 'This message is too long. Shorten it and send it again.',
  row_too_large: 'This is too large to store. Shorten it and try again.',
  title_empty: 'A thread needs a title.',
  not_found: 'Not found',
  not_authorized: 'Not authorized',
  session_required: 'Your session has ended. Reload the page to start a new one.',
  thread_busy: 'An answer is still being written in this thread. Wait for it or stop it first.',
  fork_too_long: 'This conversation is too long to be forked. Fork it from an earlier message.',
  queue_full: 'This many messages wait already. Remove one, or wait for the answer.',
  no_model: 'No model selected',
  model_unavailable: 'This model is not available right now. Choose another one.',
  account_required: 'Account required for this model',
  premium_required: 'Premium required for this model',
  credits_exhausted: 'Daily usage limit reached',
  tools_unsupported: 'This model cannot use tools',
  tool_limit_reached: 'You have reached your daily limit',
  search_unavailable: 'Search is not set up here',
  last_pin: 'At least one model stays pinned.',
  rate_limited: 'Too many requests. Wait a moment and try again.',
  not_configured: 'This part of the product is not set up here.',
  internal: 'Something went wrong on our side. Try again.',
} as const

export type RefusalCode = keyof typeof refusals

/** The error body of the JSON API and the `details` of a refused mutation. */
export type Refusal = { readonly code: RefusalCode; readonly message: string }

export const refusal = (code: RefusalCode): Refusal => ({
  code,
  message: refusals[code],
})

/** Ends a mutator on either side; the optimistic rows roll back and the code reaches the caller. */
export const refuse = (code: RefusalCode): ApplicationError<Refusal> => new ApplicationError(refusals[code], { details: refusal(code) })

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string' && Object.hasOwn(refusals, value.code)
