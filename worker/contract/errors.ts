/** All refusals. The client chooses the sentence of a code (`web/lib/refusals/`). Mutators throw refusals through `refuse` of `mutator-rules.ts`. */
import { isRecord } from './is-record.ts'

type RefusalRule = {
  /** HTTP status in the JSON API. Default: 400. */
  readonly status?: 401 | 403 | 404 | 409 | 413 | 415 | 416 | 422 | 429 | 500 | 501 | 503
  /** Tone of the notice above the composer. Default: `danger`. A warning can be corrected, or ends by waiting. */
  readonly tone?: 'neutral' | 'warning'
  /**
   * Each of these lets a message be sent that this refusal holds in the queue: another model, Chat mode, or the reset of the daily limits. Without
   * any, the message waits for the user.
   */
  readonly resolvedBy?: readonly ('model' | 'mode' | 'reset')[]
  /** A guard of D1 raises this code (`raise(abort, …)` in the migrations). */
  readonly isGuard?: true
}

const refusals = {
  invalid_request: {},
  message_empty: {},
  message_too_long: { status: 413, tone: 'warning' },
  message_over_budget: { tone: 'warning' },
  row_too_large: { status: 413, isGuard: true },
  title_empty: {},
  project_name: {},
  project_limit_reached: { isGuard: true },
  project_files_full: {},
  prompt_name: {},
  prompt_text: {},
  prompt_limit_reached: { isGuard: true },
  shared_prompt_limit_reached: { isGuard: true },
  member_prompt_limit_reached: { isGuard: true },
  draft_changed: {},
  memory_text: {},
  too_many_threads: {},
  not_found: { status: 404 },
  not_authorized: { status: 403 },
  session_required: { status: 401 },
  thread_busy: { status: 409, tone: 'neutral', isGuard: true },
  thread_temporary: {},
  fork_too_long: {},
  bookmark_limit_reached: {},
  share_too_long: {},
  listing_account_required: {},
  share_limit_reached: { status: 403, isGuard: true },
  shares_too_often: { status: 403, isGuard: true },
  sharing_off: { status: 403 },
  queue_full: {},
  no_model: { tone: 'warning', resolvedBy: ['model'] },
  model_unavailable: { resolvedBy: ['model'] },
  account_required: { status: 403, tone: 'warning', resolvedBy: ['model'] },
  premium_required: { status: 403, tone: 'warning', resolvedBy: ['model'] },
  credits_exhausted: { status: 403, tone: 'warning', resolvedBy: ['reset'], isGuard: true },
  credits_short: { status: 403, tone: 'warning', resolvedBy: ['reset'] },
  credits_above_day: { status: 403, tone: 'warning' },
  turn_credits_short: { tone: 'warning' },
  own_daily_limit_reached: { status: 403, tone: 'warning', resolvedBy: ['reset'], isGuard: true },
  own_monthly_limit_reached: { status: 403, tone: 'warning', isGuard: true },
  guest_limit_reached: { status: 403, tone: 'warning', isGuard: true },
  guest_storage_reached: { status: 403, isGuard: true },
  captcha_required: { status: 403 },
  captcha_failed: { status: 403 },
  captcha_unavailable: { status: 503 },
  model_retired: { resolvedBy: ['model'] },
  model_not_connected: { resolvedBy: ['model'] },
  no_model_connected: {},
  model_not_installed: { resolvedBy: ['model'] },
  model_unreachable_now: { resolvedBy: ['model'] },
  images_unsupported: { tone: 'warning', resolvedBy: ['model'] },
  documents_unsupported: { tone: 'warning', resolvedBy: ['model'] },
  file_type: { status: 415, tone: 'warning' },
  spreadsheet_file: { status: 415, tone: 'warning' },
  office_file: { status: 415, tone: 'warning' },
  file_empty: { tone: 'warning' },
  file_too_large: { status: 413, tone: 'warning' },
  image_too_large: { status: 413 },
  file_incomplete: {},
  pdf_encrypted: { status: 422, tone: 'warning' },
  pdf_unreadable: { status: 422 },
  image_unreadable: { tone: 'warning' },
  image_format: { status: 415, tone: 'warning' },
  range_unsatisfiable: { status: 416 },
  file_missing: { isGuard: true },
  too_many_files: { tone: 'warning' },
  storage_full: { status: 403 },
  storage_held: { status: 403 },
  content_full: { status: 403, tone: 'warning', isGuard: true },
  fork_limit_reached: { status: 403, isGuard: true },
  mutation_limit_reached: { tone: 'warning' },
  uploads_too_often: { status: 429 },
  copies_too_often: { status: 429 },
  files_uploading: { tone: 'warning' },
  file_failed: {},
  upload_failed: {},
  files_unavailable: { status: 501 },
  tools_unsupported: { tone: 'warning', resolvedBy: ['model', 'mode'] },
  tool_limit_reached: { status: 403, tone: 'warning', resolvedBy: ['mode', 'reset'], isGuard: true },
  plan_limit_reached: { status: 403, tone: 'warning', resolvedBy: ['mode'], isGuard: true },
  search_unavailable: { status: 503, tone: 'warning', resolvedBy: ['mode'] },
  research_account_required: { tone: 'warning', resolvedBy: ['mode'] },
  research_premium_required: { tone: 'warning', resolvedBy: ['mode'] },
  plan_full: {},
  plan_empty: {},
  plan_set_aside: {},
  plan_started: {},
  plan_passed: {},
  approval_decided: { isGuard: true },
  approval_expired: { isGuard: true },
  approval_passed: {},
  approval_input: {},
  input_answer: {},
  tool_changed: { status: 409 },
  last_pin: {},
  name_invalid: {},
  slug_invalid: {},
  logo_invalid: {},
  last_owner: { isGuard: true },
  invitation_answered: { status: 409, isGuard: true },
  export_running: { status: 429 },
  exports_too_often: { status: 429 },
  too_many_readers: { status: 429 },
  rate_limited: { status: 429 },
  not_configured: { status: 501 },
  internal: { status: 500 },
} as const satisfies { readonly [code: string]: RefusalRule }

export type RefusalCode = keyof typeof refusals

/** The codes that guards of D1 raise. */
export type GuardRefusalCode = { [Code in RefusalCode]: (typeof refusals)[Code] extends { isGuard: true } ? Code : never }[RefusalCode]

export const refusalCodes = Object.keys(refusals) as readonly RefusalCode[]

/** Empty for a text that is no code of a refusal. */
export const ruleOf = (code: string): RefusalRule => (isRefusalCode(code) ? refusals[code] : {})

export const isResolvedBy = (code: string, change: 'model' | 'mode' | 'reset'): boolean =>
  ruleOf(code).resolvedBy?.includes(change) === true

/** Numbers that the sentence names. */
export type RefusalValues = { readonly [name: string]: number }

/** Error body of the JSON API, and `details` of a rejected mutation. */
export type Refusal = { readonly code: RefusalCode; readonly values?: RefusalValues }

export const refusal = (code: RefusalCode, values?: RefusalValues): Refusal => ({ code, ...(values && { values }) })

export const isRefusalCode = (value: unknown): value is RefusalCode => typeof value === 'string' && Object.hasOwn(refusals, value)

export const isRefusal = (value: unknown): value is Refusal => isRecord(value) && isRefusalCode(value.code)

/** The refusal in an error body of the JSON API, otherwise `internal`. */
export const refusalIn = (body: unknown): Refusal => (isRecord(body) && isRefusal(body.error) ? body.error : refusal('internal'))

/** The first code that occurs in the text. */
export const refusalCodeIn = (text: string): RefusalCode | undefined => refusalCodes.find((code) => text.includes(code))

/** The refusal that a schema of the contract names as the message of an issue. */
export const namedRefusalCode = (issues: readonly { readonly message: string }[]): RefusalCode | undefined =>
  issues.map(({ message }) => message).find(isRefusalCode)
