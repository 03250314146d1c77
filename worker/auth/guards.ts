/**
 * What better-auth would let through and we do not: an account deleted from a session that is not fresh, names and pictures that are none,
 * and a link that whoever is signed in here did not ask for: it would take a guest's threads to whoever sent it, or what an account's
 * person writes next.
 */
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import * as z from 'zod'
import { refusal } from '../contract/errors.ts'
import { freshSignInMs, maxNameChars } from '../contract/limits.ts'
import type { Env, Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import type { Counter } from './counters.ts'
import { mustNotOrphan } from './leaving.ts'
import { isLinkOf, withLinkProof } from './link-proof.ts'
import { mustBeListQuery, mustBeWithinOrganization } from './organization-scope.ts'
import { limitAddress } from './rate-limits.ts'
import { revokeSessions } from './revoke-sessions.ts'

/** Pictures come from the company somebody signed in with, or not at all: an address of any other kind could carry a script. */
const imageSchema = z.nullable(z.url({ protocol: /^https$/ }).max(2000))
const nameSchema = z.string().trim().min(1).max(maxNameChars)

const refuse = (status: 'BAD_REQUEST' | 'FORBIDDEN', code: string, message: string) => new APIError(status, { code, message })

type Guarded = { readonly env: Env; readonly settings: Settings; readonly origin: string; readonly count: Counter }

export const guards = ({ env, settings, origin, count }: Guarded) =>
  createAuthMiddleware(async (ctx) => {
    const { environment, authSecret } = settings
    await readSession(ctx)
    const email: unknown = typeof ctx.body === 'object' && ctx.body !== null && 'email' in ctx.body ? ctx.body.email : null
    const session = () => getSessionFromCtx(ctx, { disableRefresh: true })
    await mustBeWithinOrganization(env, { path: ctx.path, body: ctx.body, query: ctx.query, session })
    // An invitation that nobody could send must not count against the address.
    const isCounted = typeof email === 'string' && (ctx.path !== '/organization/invite-member' || (await session()) !== null)
    if (isCounted) await limitAddress(environment, count, ctx.path, email)
    switch (ctx.path) {
      case '/update-user':
        return checkProfile(ctx.body)
      case '/sign-in/magic-link':
      case '/email-otp/send-verification-otp':
        return mustHaveMail(settings)
      case '/organization/list-members':
        return mustBeListQuery(ctx.query)
      case '/delete-user': {
        const asking = await session()
        if (!asking || asking.user.isAnonymous) return
        // First: nobody should prove who they are to learn that it does not help.
        await mustNotOrphan(env, asking.user.id)
        if (Date.now() - new Date(asking.session.createdAt).getTime() >= freshSignInMs)
          throw refuse('FORBIDDEN', 'SESSION_NOT_FRESH', 'Confirm that it is you first: sign in again, then delete the account.')
        return
      }
      case '/revoke-sessions':
      case '/revoke-other-sessions': {
        const asking = await session()
        return asking && ctx.json(await revokeSessions(env, asking.session, ctx.path === '/revoke-sessions' ? 'all' : 'others'))
      }
      case '/magic-link/verify': {
        const asking = await session()
        const query: unknown = ctx.query
        if (!asking || !isQuery(query) || (await isLinkOf(authSecret, query, asking.user.id))) return
        throw ctx.redirect(await withLinkProof(authSecret, origin, query, asking.user.id))
      }
    }
  })

/** better-auth keeps the failure of a mail to itself, and would say that the code is on its way. */
function mustHaveMail({ mail, environment }: Settings): void {
  if (mail === null && environment !== 'development') throw new APIError('NOT_IMPLEMENTED', refusal('not_configured'))
}

/**
 * better-auth takes a session that cannot be read for none, which would log a person out, or let them past a guard, for a moment's failure
 * of the database. So it is read here first, and kept for everything behind. `/get-session` reads and fails by itself.
 */
async function readSession({ path, context, getSignedCookie }: Parameters<typeof getSessionFromCtx>[0]): Promise<void> {
  if (path === '/get-session') return
  const token = await getSignedCookie(context.authCookies.sessionToken.name, context.secret)
  if (!token) return
  const found = await context.internalAdapter.findSession(token).catch((cause: unknown) => {
    logger.error('session_unread', cause)
    throw new APIError('SERVICE_UNAVAILABLE', { code: 'SESSION_UNREAD' }, { 'retry-after': '1' })
  })
  if (found && found.session.expiresAt.getTime() > Date.now()) context.session = found
}

const isQuery = (query: unknown): query is { readonly token: string } =>
  typeof query === 'object' && query !== null && 'token' in query && typeof query.token === 'string'

function checkProfile(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  if ('name' in body && !nameSchema.safeParse(body.name).success)
    throw refuse('BAD_REQUEST', 'INVALID_NAME', `A name has between 1 and ${maxNameChars} characters.`)
  if ('image' in body && !imageSchema.safeParse(body.image).success)
    throw refuse('BAD_REQUEST', 'INVALID_IMAGE', 'A picture is an https address, or none.')
}
