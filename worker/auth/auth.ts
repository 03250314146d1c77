/**
 * better-auth as this product uses it: guests, magic links, e-mail codes, Google, GitHub, organizations with teams, and the token of the sync socket.
 * D1 is the record of sessions and codes, and the only place that has them: a revoked session is refused by the very next call, whatever is down.
 * A guest who signs in becomes the account, whole or not at all: hand-over.ts.
 */
import { waitUntil } from 'cloudflare:workers'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, getSessionFromCtx } from 'better-auth/api'
import { anonymous, emailOTP, jwt, magicLink, organization } from 'better-auth/plugins'
import { directoryOrm, directoryTables } from '../db/directory-orm.ts'
import { newId } from '../db/new-id.ts'
import { ensurePersonRows } from '../db/person-rows.ts'
import { contentDb } from '../db/shards.ts'
import type { Env, Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { endSessions } from '../sync/end-sessions.ts'
import { boundedCompanies } from './bounded-companies.ts'
import { createCounter } from './counters.ts'
import { guards } from './guards.ts'
import { guestName } from './guest-name.ts'
import { handOverGuest } from './hand-over.ts'
import { forgetHints, leave } from './leaving.ts'
import { linkProof } from './link-proof.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { codeMail, confirmationMail, linkMail } from './mails.ts'
import { organizationOptions } from './organizations.ts'
import { authRateLimits } from './rate-limits.ts'
import { tokenAudience, tokenIssuer } from './token.ts'

const dayS = 24 * 60 * 60

export type Auth = ReturnType<typeof createAuth>

/** `origin` is where people are: the public URL, or in development whatever the request was sent to. */
export function createAuth(env: Env, settings: Settings, origin: string) {
  const send = sayWhenUnsent(createMailer(env, settings))
  const count = createCounter(env, settings.redis, Date.now)
  /** A link and a code in one mail; it is the plugin of codes that makes one, once everything is put together. */
  let codeOf: (email: string) => Promise<string>
  const auth = betterAuth({
    appName: 'Parley',
    baseURL: origin,
    basePath: '/api/auth',
    secret: settings.authSecret,
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    // The first line alone: behind it drizzle quotes values, and what better-auth adds may be a person's.
    logger: { level: 'warn', log: (level, message) => logger.warn('better_auth', { level, message: message.split('\n', 1)[0] }) },
    // Refusals are answers and not faults; without this each is a line of better-auth's own in the log. A fault goes on to whoever called:
    // better-auth would print it, with the person's words that drizzle quotes, and answer without any.
    onAPIError: {
      errorURL: `${origin}/login`,
      onError: (error) => {
        if (!(error instanceof APIError)) throw error
        if (error.statusCode >= 500) logger.error('auth_failed', error)
      },
    },
    database: drizzleAdapter(directoryOrm(env), { provider: 'sqlite', schema: directoryTables, camelCase: true, transaction: false }),
    // Whoever may see their sessions may see them on every day; what wants a fresh one says so itself, in guards.ts.
    session: { expiresIn: 365 * dayS, updateAge: dayS, freshAge: 0 },
    rateLimit: { enabled: true, ...authRateLimits(settings.environment, count) },
    disabledPaths,
    hooks: { before: guards({ env, settings, origin, count }) },
    user: {
      deleteUser: {
        enabled: true,
        beforeDelete: ({ id }) => leave(env, settings, id),
        afterDelete: ({ id }) => forgetHints(env, id),
      },
    },
    socialProviders: {
      // Our pages send people to the companies and back. A token from elsewhere would have anybody make us ask for a company's keys.
      ...(settings.google ? { google: { ...settings.google, disableIdTokenSignIn: true } } : {}),
      ...(settings.github ? { github: settings.github } : {}),
    },
    advanced: {
      // Joins: a session and its user are one round trip to D1 instead of two.
      // A list that shows a hundred, the oldest first, would leave out the session that asks for it.
      database: { generateId: newId, joins: true, defaultFindManyLimit: 1000 },
      ipAddress: { ipAddressHeaders: ['cf-connecting-ip'] },
      // Nobody waits for the mail company. Without one a mail is a row in D1 or a refusal, and both are worth waiting for.
      ...(settings.mail ? { backgroundTasks: { handler: waitUntil } } : {}),
    },
    databaseHooks: {
      user: {
        create: {
          // The id is made here because a guest's name follows from it.
          before: async (created) => {
            const id = newId()
            return { data: { ...created, id, name: nameOf(created, id) } }
          },
          after: async (created) => ensurePersonRows(contentDb(env, created.id), created.id),
        },
        delete: { after: async ({ id }) => endSessions(env, id, 'all') },
      },
      session: {
        // Again at every sign-in: whoever lost one of these rows gets it back.
        create: { after: async ({ userId }) => ensurePersonRows(contentDb(env, userId), userId) },
        // Whatever ended it: sign-out, being revoked, the end of the account. Its browsers stop hearing from us now.
        delete: { after: async ({ id, userId }) => endSessions(env, userId, [id]) },
      },
    },
    plugins: [
      anonymous({
        // The hand-over removes the guest, in the batch that takes everything away.
        disableDeleteAnonymousUser: true,
        onLinkAccount: ({ anonymousUser, newUser, ctx }) =>
          handOverGuest(env, {
            guest: anonymousUser.user,
            account: newUser.user,
            newToken: newUser.session.token,
            sessions: ctx.context.internalAdapter,
          }),
      }),
      magicLink({
        storeToken: 'hashed',
        sendMagicLink: async ({ email, url, token }, ctx) => {
          const asking = ctx && (await getSessionFromCtx(ctx, { disableRefresh: true }))
          const link = new URL(url)
          if (asking) link.searchParams.set('guest', await linkProof(settings.authSecret, token, asking.user.id))
          await send(linkMail(email, link.href, await codeOf(email)))
        },
      }),
      emailOTP({
        storeOTP: 'hashed',
        sendVerificationOTP: async ({ email, otp }, ctx) => {
          const asking = ctx && (await getSessionFromCtx(ctx, { disableRefresh: true }))
          const isOwn = asking?.user.email.toLowerCase() === email.toLowerCase()
          await send(isOwn ? confirmationMail(email, otp) : codeMail(email, otp))
        },
      }),
      jwt({
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } },
        jwt: {
          issuer: tokenIssuer,
          audience: tokenAudience,
          expirationTime: '15m',
          // Nothing about the person: the token is kept by browsers and travels in a header.
          definePayload: ({ session: { id } }) => ({ sid: id }),
        },
      }),
      organization(organizationOptions(env, origin, send)),
      boundedCompanies(),
    ],
  })
  codeOf = (email) => auth.api.createVerificationOTP({ body: { email, type: 'sign-in' } })
  return auth
}

/** Doors of better-auth that nobody here has a key to: there are no passwords, and an address is proven by signing in. */
const disabledPaths = [
  ...['/sign-in/email', '/sign-up/email', '/request-password-reset', '/reset-password', '/change-password', '/set-password'],
  ...['/verify-password', '/change-email', '/send-verification-email', '/forget-password/email-otp', '/email-otp/request-password-reset'],
  ...['/email-otp/reset-password', '/email-otp/request-email-change', '/email-otp/change-email', '/email-otp/check-verification-otp'],
]

/** People who sign in by mail bring no name; the part before the @ is what their friends would guess. */
function nameOf(created: { name: string; email: string; isAnonymous?: unknown }, id: string): string {
  if (created.isAnonymous === true) return guestName(id)
  return created.name.trim() || created.email.split('@')[0] || guestName(id)
}

/** What went wrong is for the log; the person hears that no mail is coming. */
function sayWhenUnsent(mailer: Mailer): Mailer {
  return async (mail) => {
    try {
      await mailer(mail)
    } catch (error) {
      logger.error('mail_failed', error)
      throw new APIError('SERVICE_UNAVAILABLE', { code: 'MAIL_NOT_SENT', message: 'The mail could not be sent. Try again later.' })
    }
  }
}
