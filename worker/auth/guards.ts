/**
 * Checks before better-auth's endpoints, for requests that better-auth would accept and the product refuses: an account deleted from an old
 * session, an invalid name or image, too many mails to one address, rows of another organization.
 */
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { deleteSessionCookie } from 'better-auth/cookies'
import type { Env } from '../bindings.ts'
import { refusal } from '../contract/errors.ts'
import { isRecord } from '../contract/is-record.ts'
import { freshSignInMs } from '../contract/limits.ts'
import { removeSessionsBut } from '../db/sessions.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import { endSessions } from '../user-sync/rpc.ts'
import { deleteAccount, mustNotOrphan } from './account-deletion.ts'
import { codePath, type Turnstile } from './captcha.ts'
import type { Counter } from './counters.ts'
import { normalizedAddress } from './email-address.ts'
import { addressDigest, knownBrowserId } from './known-browser.ts'
import { networksOf } from './networks.ts'
import { mustBeListQuery, mustBeWithinOrganization, rejectPrototypeKeys, wrapMetadata } from './organizations.ts'
import { assertProfile } from './profile.ts'
import { assertAddressLimit, assertWriteLimit, isAddressLimited, writesDirectory } from './rate-limits.ts'

type Guarded = { readonly env: Env; readonly settings: Settings; readonly count: Counter; readonly turnstile: Turnstile | null }

export const guards = ({ env, settings, count, turnstile }: Guarded) =>
  createAuthMiddleware(async (ctx) => {
    const { environment, authSecret } = settings
    await readSession(ctx)
    const email = normalizeEmail(ctx.body)
    // Runs before the counters, so that a refused name uses no attempt.
    if (signUps.has(ctx.path)) assertProfile(ctx.body, 'sign-up')
    const session = () => getSessionFromCtx(ctx, { disableRefresh: true })
    await mustBeWithinOrganization(env, { path: ctx.path, body: ctx.body, query: ctx.query, session })
    if (email !== null && isAddressLimited(ctx.path)) {
      const isInvitation = ctx.path === '/organization/invite-member'
      const inviting = isInvitation ? (await session())?.user : undefined
      const digest = await addressDigest(authSecret, email)
      const attempt = {
        path: ctx.path,
        digest,
        networks: networksOf(ctx.headers ?? new Headers()),
        knownBrowser: await knownBrowserId(ctx, digest),
        inviter: inviting ? await addressDigest(authSecret, inviting.email) : null,
        // Every request for a mail has solved a challenge before (captcha.ts).
        assertSolved:
          turnstile && (async () => (ctx.path === codePath && ctx.request ? turnstile.assertSolved(ctx.request, ctx.context) : undefined)),
      }
      // Without an account the invitation is refused later, so it must not count against the address.
      if (!isInvitation || (inviting && !inviting.isAnonymous)) await assertAddressLimit(environment, count, attempt)
    }
    if (writesDirectory(ctx.path)) {
      const writing = await session()
      if (writing) await assertWriteLimit(environment, count, writing.user.id)
    }
    switch (ctx.path) {
      case '/organization/has-permission':
        return rejectPrototypeKeys(ctx.body)
      case '/update-user':
        return assertProfile(ctx.body, 'change')
      case '/sign-in/magic-link':
      case '/email-otp/send-verification-otp':
        return mustHaveMail(settings)
      case '/organization/create':
      case '/organization/update':
        return wrapMetadata(ctx.path, ctx.body)
      case '/organization/list-members':
        return mustBeListQuery(ctx.query)
      case '/delete-user': {
        const requester = await session()
        if (!requester) return
        if (!requester.user.isAnonymous) {
          // Runs first, so that a user who cannot delete the account is not asked to sign in again.
          await mustNotOrphan(env, requester.user.id)
          if (Date.now() - new Date(requester.session.createdAt).getTime() >= freshSignInMs)
            throw new APIError('FORBIDDEN', { code: 'SESSION_NOT_FRESH' })
        }
        // better-auth would delete the user row also when other rows are left.
        await deleteAccount(env, settings, requester.user.id)
        deleteSessionCookie(ctx)
        return ctx.json({ success: true })
      }
      case '/revoke-sessions':
      case '/revoke-other-sessions': {
        const requester = await session()
        return requester && ctx.json(await revokeSessions(env, requester.session, ctx.path === '/revoke-sessions' ? 'all' : 'others'))
      }
    }
  })

/** Replaces the address in the body of a request by its normal form, which better-auth then reads. Null without an address. */
function normalizeEmail(body: unknown): string | null {
  if (!isRecord(body) || typeof body.email !== 'string') return null
  const email = normalizedAddress(body.email)
  if (email === null || email.toLowerCase().endsWith(guestDomain)) throw new APIError('BAD_REQUEST', { code: 'INVALID_EMAIL' })
  Object.assign(body, { email })
  return email
}

/** better-auth gives every guest an address of this domain, which receives no mail. A code for it would sign in as the guest. */
const guestDomain = '@anonymous.placeholder.invalid'

/**
 * Revokes all sessions, or all except the current one. better-auth deletes only one page of sessions and reports only those; if its read
 * fails, all sockets stay open. Here the deleted rows determine which sockets to close.
 */
async function revokeSessions(
  env: Env,
  { id, userId }: { readonly id: string; readonly userId: string },
  which: 'all' | 'others',
): Promise<{ readonly status: true }> {
  const ended = await removeSessionsBut(env, userId, which === 'others' ? id : null)
  if (ended.length > 0) await endSessions(env, userId, ended)
  return { status: true }
}

/** Endpoints that create a user when the address has none, with the name and image of the body. */
const signUps = new Set(['/sign-in/email-otp', '/sign-in/magic-link'])

/** better-auth does not report a mail that failed; it would answer that the code was sent. */
function mustHaveMail({ mail, environment }: Settings): void {
  if (mail === null && environment !== 'development') throw new APIError('NOT_IMPLEMENTED', refusal('not_configured'))
}

/**
 * better-auth treats a session that cannot be read as no session. After a transient database error that would log the user out or skip a
 * check, so the session is read here first and stored in the context. `/get-session` handles the error.
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
