/**
 * /api/auth/*: better-auth. After a call that may have written what browsers see (a name, a membership), whoever it concerned is told;
 * the directory's feed knows who that is. A new guest has no browser that listens yet, so signing in as one tells nobody.
 */
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import type { Auth } from '../auth/auth.ts'
import { HandOverError } from '../auth/hand-over.ts'
import { authFor } from '../auth/session.ts'
import { followSeatsOf } from '../billing/upkeep.ts'
import { authSentence } from '../contract/auth-errors.ts'
import { refusal } from '../contract/errors.ts'
import { directoryWatermark, organizationsMovedSince, usersAffectedSince } from '../db/affected.ts'
import { classifyD1Error, type GuardCode } from '../db/errors.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../sync/notify.ts'
import { type AppContext, refuseWith } from './http.ts'
import { refreshModelsBeside } from './models.ts'

export async function handleAuth(c: AppContext): Promise<Response> {
  const auth = await authFor(c.env, c.var.settings, c.req.url)
  // Somebody new comes without a choice of model: what there is to choose from should be known before they are connected.
  if (c.req.path === guestSignIn) refreshModelsBeside(c, [])
  if (!mayChangeRows(c.req.method, c.req.path)) return saidInWords(c, await answerOf(c, auth))
  const watermark = await directoryWatermark(c.env)
  const response = await answerOf(c, auth)
  c.executionCtx.waitUntil(tellConcerned(c.env, watermark))
  return saidInWords(c, response)
}

async function answerOf({ req: { raw, method, path } }: AppContext, auth: Auth): Promise<Response> {
  try {
    return await auth.handler(raw)
  } catch (error) {
    const failure = classifyD1Error(error)
    // better-auth looks first and writes then, and somebody else was quicker.
    if (failure.kind === 'unique' && !(error instanceof HandOverError)) return takenOf(failure.columns)
    const refused = failure.kind === 'guard' ? guarded[failure.code] : undefined
    if (refused) return Response.json(refused.body, { status: refused.status })
    logger.error('auth_failed', error, { method, path })
    return Response.json(error instanceof HandOverError ? { code: 'NOT_MOVED' } : {}, { status: 500 })
  }
}

/** What the record refuses because somebody else was quicker; what better-auth refuses, too, in its words. */
const guarded: {
  readonly [Code in GuardCode]?: { readonly status: number; readonly body: { readonly code: string; readonly message: string } }
} = {
  last_owner: { status: 400, body: refusal('last_owner') },
  invitation_answered: { status: 409, body: refusal('invitation_answered') },
  team_limit_reached: {
    status: 400,
    body: { code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS', message: 'You have reached the maximum number of teams' },
  },
  invitation_limit_reached: { status: 403, body: { code: 'INVITATION_LIMIT_REACHED', message: 'Invitation limit reached' } },
  person_limit_reached: {
    status: 403,
    body: {
      code: 'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_ORGANIZATIONS',
      message: 'You have reached the maximum number of organizations',
    },
  },
  member_limit_reached: {
    status: 403,
    body: { code: 'ORGANIZATION_MEMBERSHIP_LIMIT_REACHED', message: 'Organization membership limit reached' },
  },
}

/** As better-auth answers where it saw it itself; otherwise the sentence of the status. */
function takenOf(columns: readonly string[]): Response {
  if (columns.includes('organization.slug'))
    return Response.json({ code: 'ORGANIZATION_SLUG_ALREADY_TAKEN', message: 'Organization slug already taken' }, { status: 409 })
  if (columns.includes('invitation.email'))
    return Response.json(
      { code: 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION', message: 'User is already invited to this organization' },
      { status: 400 },
    )
  return Response.json({}, { status: 409 })
}

/** Whoever reads a refusal is owed a sentence, in the shape of all our refusals; a link that was followed ends on a page, not in JSON. */
async function saidInWords(c: AppContext, response: Response): Promise<Response> {
  const { status } = response
  if (status < 400) return response
  if (followedLinks.test(c.req.path) && c.req.method === 'GET')
    return c.redirect(`/login?error=${status >= 500 ? 'NOT_MOVED' : 'INVALID_TOKEN'}`)
  const { message, ...named } = refusalSchema.safeParse(await response.json().catch(() => null)).data ?? {}
  // What a schema of better-auth's says is about its fields; a person typed an address.
  const code = named.code === 'VALIDATION_ERROR' && message?.startsWith('[body.email]') ? 'INVALID_EMAIL' : named.code
  if (status >= 500 && code === undefined) return refuseWith(c, 'internal')
  // What better-auth knows and we do not offer is as absent as any other address.
  if (status === 404 && code === undefined) return refuseWith(c, 'not_found')
  const refused = c.req.path.startsWith('/api/auth/organization/') ? ofOrganization({ code, status, path: c.req.path }) : { code, status }
  const retryAfter = response.headers.get('retry-after') ?? response.headers.get('x-retry-after')
  const said = {
    code: status === 429 ? 'rate_limited' : (refused.code ?? 'refused'),
    message: authSentence(refused.code ?? null, refused.status, message),
  }
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter }
  return c.json({ error: said, ...said }, refused.status as ContentfulStatusCode, headers)
}

type Refused = { readonly code: string | undefined; readonly status: number }

/**
 * Where better-auth says something else than it means: of somebody who is signed in and may not, that nobody is; and to an admin who removes
 * an owner, that the admin is the last one.
 */
function ofOrganization({ code, status, path }: Refused & { readonly path: string }): Refused {
  if (path.endsWith('/remove-member') && code === 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER')
    return { code: 'OWNER_REMOVED_BY_OWNER', status: 403 }
  // Without a session the code is that of the status.
  return { code, status: status === 401 && code !== undefined && code !== 'UNAUTHORIZED' ? 403 : status }
}

const refusalSchema = z.object({ code: z.optional(z.string()), message: z.optional(z.string()) })

const guestSignIn = '/api/auth/sign-in/anonymous'
const silentPosts = new Set([
  guestSignIn,
  '/api/auth/sign-out',
  '/api/auth/email-otp/send-verification-otp',
  '/api/auth/sign-in/magic-link',
])
/** Opened by a person from a mail or by a company's redirect. */
const followedLinks = /^\/api\/auth\/(magic-link\/verify|callback\/)/
const writingGets = /^\/api\/auth\/(magic-link\/verify|callback\/|verify-email|delete-user\/callback)/

function mayChangeRows(method: string, path: string): boolean {
  return method === 'GET' ? writingGets.test(path) : !silentPosts.has(path)
}

async function tellConcerned(env: Env, watermark: number): Promise<void> {
  try {
    const userIds = await usersAffectedSince(env, watermark)
    if (userIds.length > 0) await notify(env, userIds)
    for (const organizationId of await organizationsMovedSince(env, watermark)) await followSeatsOf(env, organizationId)
  } catch (error) {
    // Only a hint is lost; the next pull of every object finds the change.
    logger.error('notify_failed', error)
  }
}
