/** Shared by all routes: the types of the context and the error response. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Env } from '../bindings.ts'
import { type RefusalCode, type RefusalValues, refusal } from '../contract/errors.ts'
import type { ErrorBody } from '../contract/http.ts'
import type { Settings } from '../settings.ts'

export type AppEnv = {
  Bindings: Env
  Variables: {
    /** Id of the request in the log, sent as x-request-id. */
    readonly requestId: string
    readonly settings: Settings
    /** Allows the inline scripts of the page in this response. */
    readonly nonce: string
  }
}

export type AppContext = Context<AppEnv>

export const originOf = (c: AppContext): string => c.var.settings.publicUrl ?? new URL(c.req.url).origin

const statuses: { readonly [code in RefusalCode]?: ContentfulStatusCode } = {
  session_required: 401,
  not_authorized: 403,
  account_required: 403,
  premium_required: 403,
  credits_exhausted: 403,
  credits_short: 403,
  guest_limit_reached: 403,
  guest_storage_reached: 403,
  captcha_required: 403,
  captcha_failed: 403,
  captcha_unavailable: 503,
  tools_unsupported: 400,
  tool_limit_reached: 403,
  plan_limit_reached: 403,
  search_unavailable: 503,
  not_found: 404,
  thread_busy: 409,
  message_too_long: 413,
  file_too_large: 413,
  image_too_large: 413,
  file_type: 415,
  spreadsheet_file: 415,
  office_file: 415,
  image_format: 415,
  pdf_encrypted: 422,
  pdf_unreadable: 422,
  range_unsatisfiable: 416,
  storage_full: 403,
  storage_held: 403,
  content_full: 403,
  fork_limit_reached: 403,
  share_limit_reached: 403,
  shares_too_often: 403,
  sharing_off: 403,
  uploads_too_often: 429,
  copies_too_often: 429,
  files_unavailable: 501,
  row_too_large: 413,
  export_running: 429,
  exports_too_often: 429,
  too_many_readers: 429,
  rate_limited: 429,
  internal: 500,
  not_configured: 501,
}

/** The code determines the status; codes without an entry get 400. */
export function refuseWith(
  c: AppContext,
  code: RefusalCode,
  status: ContentfulStatusCode = statuses[code] ?? 400,
  { values, detail }: { readonly values?: RefusalValues | undefined; readonly detail?: string } = {},
): Response {
  const body: ErrorBody = { error: { ...refusal(code, values), ...(detail !== undefined && { detail }) } }
  return c.json(body, status)
}
