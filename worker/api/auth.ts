/**
 * /api/auth/*: better-auth. After a call that may have written synced rows (a name, a membership), it notifies the users that the directory
 * feed contains. Guest sign-in sends no notification, because a new guest has no connected browser.
 */

import { isAPIError } from 'better-auth/api'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { LinkingError } from '../auth/account-linking.ts'
import type { Auth } from '../auth/auth.ts'
import { createCounter } from '../auth/counters.ts'
import { isLinkOf, landingUrl } from '../auth/links.ts'
import { pendingAddress } from '../auth/magic-link.ts'
import { networksOf } from '../auth/networks.ts'
import { isLinkUseAllowed } from '../auth/rate-limits.ts'
import { authFor, loginHeaders, viewerOf } from '../auth/session.ts'
import { followSeatsOf } from '../billing/upkeep.ts'
import type { Env } from '../bindings.ts'
import { ownPath } from '../contract/own-path.ts'
import { directoryWatermark, organizationsMovedSince, usersAffectedSince } from '../db/affected-users.ts'
import { classifyD1Error, type GuardCode } from '../db/errors.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../user-sync/rpc.ts'
import { type AppContext, originOf, refuseWith, statusOf } from './http.ts'
import { refreshModelsInBackground } from './models.ts'

export async function handleAuth(c: AppContext): Promise<Response> {
  // A new user has no chosen model, so the list of models should be current before the first connect.
  if (c.req.path === guestSignIn) refreshModelsInBackground(c, [])
  const isLogin = logins.some((path) => c.req.path.startsWith(path))
  const request = isLogin ? new Request(c.req.raw, { headers: await loginHeaders(c.req.raw, c.env, c.var.settings) }) : c.req.raw
  return answer(c, (auth) => auth.handler(request))
}

const logins = ['/api/auth/sign-in/', '/api/auth/callback/']

/** Chosen: longer than every field that the landing page sends. */
const formText = z.string().max(2000)
const linkForm = z.object({ token: formText, callbackURL: formText, errorCallbackURL: formText, guest: formText }).partial()

/**
 * POST /api/auth/magic-link/verify, from the form of the landing page. It is the only way to use a link: mail scanners send GET and HEAD.
 * better-auth's endpoint is a GET that its router does not serve here.
 */
export async function handleMagicLink(c: AppContext): Promise<Response> {
  const { settings } = c.var
  const origin = originOf(c)
  if (c.req.header('origin') !== origin) return refuseWith(c, 'not_authorized')
  const { token, guest, callbackURL, errorCallbackURL } = linkForm.safeParse(await c.req.parseBody().catch(() => null)).data ?? {}
  if (token === undefined) return refuseWith(c, 'invalid_request')
  const { headers } = c.req.raw
  const isPending = async () => (await pendingAddress(await authFor(c.env, settings, c.req.url), token)) !== null
  const count = createCounter(c.env, settings.redis, Date.now)
  if (!(await isLinkUseAllowed(settings.environment, count, networksOf(headers), isPending))) return c.redirect('/login?error=RATE_LIMITED')
  const query = { token, callbackURL: ownPath(callbackURL, origin, '/'), errorCallbackURL: ownPath(errorCallbackURL, origin, '/login') }
  return answer(c, async (auth) => {
    const viewer = await viewerOf(c.req.raw, c.env, settings)
    if (!viewer || (await isLinkOf(settings.authSecret, { token, guest }, viewer.userId)))
      return auth.api.magicLinkVerify({ query, headers: await loginHeaders(c.req.raw, c.env, settings), asResponse: true })
    // The page shows the warning and supplies a proof for this user.
    const fields = new URLSearchParams({ token, ...(callbackURL && { callbackURL }), ...(errorCallbackURL && { errorCallbackURL }) })
    return c.redirect(landingUrl(origin, fields))
  })
}

async function answer(c: AppContext, call: (auth: Auth) => Promise<Response>): Promise<Response> {
  const auth = await authFor(c.env, c.var.settings, c.req.url)
  if (!mayChangeRows(c.req.method, c.req.path)) return asErrorBody(c, await responseOf(c, call(auth)))
  const watermark = await directoryWatermark(c.env)
  const response = await responseOf(c, call(auth))
  c.executionCtx.waitUntil(notifyAffected(c.env, watermark))
  return asErrorBody(c, response)
}

async function responseOf({ req: { method, path } }: AppContext, call: Promise<Response>): Promise<Response> {
  try {
    const response = await call
    // For example a mail that was not sent.
    if (response.status >= 500) logger.error('auth_failed', `status ${response.status}`, { method, path })
    return response
  } catch (error) {
    // A refusal of one of our hooks. better-auth's router would turn it into a response.
    if (isAPIError(error)) return Response.json(error.body ?? {}, { status: error.statusCode, headers: new Headers(error.headers) })
    const failure = classifyD1Error(error)
    // better-auth checks before it writes; a concurrent request wrote the row first.
    if (failure.kind === 'unique' && !(error instanceof LinkingError)) return takenOf(failure.columns)
    const refused = failure.kind === 'guard' ? guarded[failure.code] : undefined
    if (refused) return Response.json({ code: refused.code }, { status: refused.status })
    logger.error('auth_failed', error, { method, path })
    return Response.json(error instanceof LinkingError ? { code: 'NOT_MOVED' } : {}, { status: 500 })
  }
}

/** Responses to D1 guards that a concurrent request triggered: the refusal, or the code of better-auth's own check. */
const guarded: { readonly [Code in GuardCode]?: { readonly status: number; readonly code: string } } = {
  account_full: { status: 409, code: 'ACCOUNT_FULL' },
  last_owner: { status: statusOf('last_owner'), code: 'last_owner' },
  invitation_answered: { status: statusOf('invitation_answered'), code: 'invitation_answered' },
  team_limit_reached: { status: 400, code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS' },
  invitation_limit_reached: { status: 403, code: 'INVITATION_LIMIT_REACHED' },
  person_limit_reached: { status: 403, code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS' },
  member_limit_reached: { status: 403, code: 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED' },
}

/** The response of better-auth's own check, or `conflict`. */
function takenOf(columns: readonly string[]): Response {
  if (columns.includes('organization.slug')) return Response.json({ code: 'ORGANIZATION_SLUG_ALREADY_TAKEN' }, { status: 409 })
  if (columns.includes('invitation.email')) return Response.json({ code: 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION' }, { status: 400 })
  return Response.json({ code: 'conflict' }, { status: 409 })
}

/** Converts each refusal to our error format, with a code only. A navigation (link or redirect) ends on a page instead of JSON. */
async function asErrorBody(c: AppContext, response: Response): Promise<Response> {
  const { status } = response
  if (status < 400) return response
  const { message, ...named } = refusalSchema.safeParse(await response.json().catch(() => null)).data ?? {}
  if (isNavigation(c.req.method, c.req.path)) {
    const problem = named.code !== undefined && shownAfterRedirect.has(named.code) ? named.code : 'INVALID_TOKEN'
    return c.redirect(`/login?error=${status >= 500 ? 'NOT_MOVED' : problem}`)
  }
  // A validation error of better-auth begins with the invalid field.
  const field = named.code === 'VALIDATION_ERROR' ? /^\[body\.(?:data\.)?(\w+)\]/.exec(message ?? '')?.[1] : undefined
  const code = codeOfField.get(field) ?? named.code
  if (status >= 500 && code === undefined) return refuseWith(c, 'internal')
  // Endpoints of better-auth that we disable return the same 404 as unknown paths.
  if (status === 404 && code === undefined) return refuseWith(c, 'not_found')
  const refused = c.req.path.startsWith('/api/auth/organization/') ? ofOrganization({ code, status, path: c.req.path }) : { code, status }
  const retryAfter = response.headers.get('retry-after') ?? response.headers.get('x-retry-after')
  const body = {
    code: status === 429 ? 'rate_limited' : (refused.code ?? codeOfStatus[refused.status] ?? 'invalid_request'),
    ...(named.organization !== undefined && { organization: named.organization }),
  }
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
  return c.json({ error: body, ...body }, refused.status as ContentfulStatusCode, headers)
}

/** Refusals of a sign-in that another link or provider would meet too. */
const shownAfterRedirect: ReadonlySet<string> = new Set(['ACCOUNT_FULL', 'ACCOUNT_BEING_DELETED'])

/** The same codes as our own checks of these fields. */
const codeOfField: ReadonlyMap<string | undefined, string> = new Map([
  ['email', 'INVALID_EMAIL'],
  ['name', 'name_invalid'],
  ['slug', 'slug_invalid'],
  ['logo', 'logo_invalid'],
])

/** Codes for refusals of better-auth that have only a message. 401 has the code of its other refusals without a session. */
const codeOfStatus: { readonly [status: number]: string } = { 401: 'UNAUTHORIZED', 403: 'not_authorized' }

type Refused = { readonly code: string | undefined; readonly status: number }

/**
 * Corrects misleading responses of better-auth. It returns 401 for a signed-in user without permission. It reports "last owner" if an admin
 * removes an owner. It reports a closed invitation without a code.
 */
function ofOrganization({ code, status, path }: Refused & { readonly path: string }): Refused {
  if (path.endsWith('/remove-member') && code === 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    return { code: 'OWNER_REMOVED_BY_OWNER', status: 403 }
  if (path.endsWith('/get-invitation') && status === 400 && code === undefined) return { code: 'INVITATION_NOT_FOUND', status }
  // Without a session, a 401 has the code UNAUTHORIZED or none. Any other code means a missing permission.
  return { code, status: status === 401 && code !== undefined && code !== 'UNAUTHORIZED' ? 403 : status }
}

const refusalSchema = z.object({ code: z.optional(z.string()), message: z.optional(z.string()), organization: z.optional(z.string()) })

const guestSignIn = '/api/auth/sign-in/anonymous'
export const linkUse = '/api/auth/magic-link/verify'
const silentPosts = new Set([
  guestSignIn,
  '/api/auth/sign-out',
  '/api/auth/email-otp/send-verification-otp',
  '/api/auth/sign-in/magic-link',
])
/** The landing page's form, and the redirect of a provider. */
const isNavigation = (method: string, path: string): boolean =>
  method === 'POST' ? path === linkUse : method === 'GET' && path.startsWith('/api/auth/callback/')
const writingGets = /^\/api\/auth\/(callback\/|verify-email|delete-user\/callback)/

function mayChangeRows(method: string, path: string): boolean {
  return method === 'GET' ? writingGets.test(path) : !silentPosts.has(path)
}

async function notifyAffected(env: Env, watermark: number): Promise<void> {
  try {
    const userIds = await usersAffectedSince(env, watermark)
    if (userIds.length > 0) await notify(env, userIds)
    for (const organizationId of await organizationsMovedSince(env, watermark)) await followSeatsOf(env, organizationId)
  } catch (error) {
    // The change is not lost: the next pull of each object reads it.
    logger.error('notify_failed', error)
  }
}
