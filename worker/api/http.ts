/** Shared by all routes: the types of the context and the error response. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type SessionViewer, viewerOf } from '../auth/session.ts'
import type { Env } from '../bindings.ts'
import { type RefusalCode, type RefusalValues, refusal, ruleOf } from '../contract/errors.ts'
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

export const statusOf = (code: RefusalCode): ContentfulStatusCode => ruleOf(code).status ?? 400

export function refuseWith(
  c: AppContext,
  code: RefusalCode,
  status: ContentfulStatusCode = statusOf(code),
  { values, detail }: { readonly values?: RefusalValues | undefined; readonly detail?: string } = {},
): Response {
  const body: ErrorBody = { error: { ...refusal(code, values), ...(detail !== undefined && { detail }) } }
  return c.json(body, status)
}

/** The session of the request, or null. */
export const readViewer = (c: AppContext): Promise<SessionViewer | null> => viewerOf(c.req.raw, c.env, c.var.settings)
