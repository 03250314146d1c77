/** All refusal codes. The client chooses the sentence of a code (`web/lib/refusals/`). Mutators throw refusals through `refuse.ts`. */
import { isRecord } from './is-record.ts'

const refusalCodes = [
  'invalid_request',
  'message_empty',
  'message_too_long',
  'message_over_budget',
  'row_too_large',
  'title_empty',
  'project_name',
  'project_limit_reached',
  'project_files_full',
  'prompt_name',
  'prompt_text',
  'prompt_limit_reached',
  'shared_prompt_limit_reached',
  'member_prompt_limit_reached',
  'draft_changed',
  'too_many_threads',
  'not_found',
  'not_authorized',
  'session_required',
  'thread_busy',
  'thread_temporary',
  'fork_too_long',
  'bookmark_limit_reached',
  'share_too_long',
  'listing_account_required',
  'share_limit_reached',
  'shares_too_often',
  'sharing_off',
  'queued_changed',
  'queue_full',
  'no_model',
  'model_unavailable',
  'account_required',
  'premium_required',
  'credits_exhausted',
  'credits_short',
  'guest_limit_reached',
  'guest_storage_reached',
  'captcha_required',
  'captcha_failed',
  'captcha_unavailable',
  'model_retired',
  'model_not_connected',
  'no_model_connected',
  'model_not_installed',
  'model_unreachable_now',
  'images_unsupported',
  'documents_unsupported',
  'file_type',
  'spreadsheet_file',
  'office_file',
  'file_empty',
  'file_too_large',
  'image_too_large',
  'file_incomplete',
  'pdf_encrypted',
  'pdf_unreadable',
  'image_unreadable',
  'image_format',
  'range_unsatisfiable',
  'file_missing',
  'too_many_files',
  'storage_full',
  'storage_held',
  'content_full',
  'fork_limit_reached',
  'mutation_limit_reached',
  'uploads_too_often',
  'copies_too_often',
  'files_uploading',
  'file_failed',
  'upload_failed',
  'files_unavailable',
  'tools_unsupported',
  'tool_limit_reached',
  'plan_limit_reached',
  'search_unavailable',
  'research_account_required',
  'research_premium_required',
  'plan_full',
  'plan_empty',
  'plan_set_aside',
  'plan_started',
  'plan_passed',
  'last_pin',
  'name_invalid',
  'slug_invalid',
  'logo_invalid',
  'last_owner',
  'invitation_answered',
  'export_running',
  'exports_too_often',
  'too_many_readers',
  'rate_limited',
  'not_configured',
  'internal',
] as const

export type RefusalCode = (typeof refusalCodes)[number]

/** Numbers that the sentence names. */
export type RefusalValues = { readonly [name: string]: number }

/** Error body of the JSON API, and `details` of a rejected mutation. */
export type Refusal = { readonly code: RefusalCode; readonly values?: RefusalValues }

export const refusal = (code: RefusalCode, values?: RefusalValues): Refusal => ({ code, ...(values && { values }) })

export const isRefusalCode = (value: unknown): value is RefusalCode => (refusalCodes as readonly unknown[]).includes(value)

export const isRefusal = (value: unknown): value is Refusal => isRecord(value) && isRefusalCode(value.code)

/** The refusal in an error body of the JSON API, otherwise `internal`. */
export const refusalIn = (body: unknown): Refusal => (isRecord(body) && isRefusal(body.error) ? body.error : refusal('internal'))

/** The first code that occurs in the text. */
export const refusalCodeIn = (text: string): RefusalCode | undefined => refusalCodes.find((code) => text.includes(code))

/** The refusal that a schema of the contract names as the message of an issue. */
export const namedRefusalCode = (issues: readonly { readonly message: string }[]): RefusalCode | undefined =>
  issues.map(({ message }) => message).find(isRefusalCode)
