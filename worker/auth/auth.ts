/**
 * better-auth as this product uses it: guests, magic links, e-mail codes, Google, GitHub, organizations with teams, and the token of the sync socket.
 * D1 is the record of sessions and codes, and the only place that has them: a revoked session is refused by the very next call, whatever is down.
 * A guest who signs in becomes the account, whole or not at all: hand-over.ts.
 */
import { waitUntil } from 'cloudflare:workers'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { anonymous, emailOTP, jwt, magicLink, organization } from 'better-auth/plugins'
import { maxTriesPerCode } from '../contract/limits.ts'
import { directoryOrm, directoryTables } from '../db/directory-orm.ts'
import { newId } from '../db/new-id.ts'
import { ensurePersonRows } from '../db/person-rows.ts'
import { contentDb, newUserId } from '../db/shards.ts'
import type { Env, Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { endSessions } from '../user-sync/rpc.ts'
import { boundedCompanies } from './bounded-companies.ts'
import { turnstilePlugins } from './captcha.ts'
import { createCounter } from './counters.ts'
import { repairPersonRows, usageSourceOf } from './day-use-origin.ts'
import { guards } from './guards.ts'
import { handOverGuest } from './hand-over.ts'
import { rememberBrowser } from './known-browser.ts'
import { forgetHints, leave } from './leaving.ts'
import { linkAccount, linkProof } from './link-proof.ts'
import { hashLinkToken, landingUrl } from './magic-link.ts'
import { createMailer, type Mailer } from './mailer.ts'
import { codeMail, confirmationMail, linkMail } from './mails.ts'
import { organizationOptions } from './organizations.ts'
import { changedProfile, newProfile } from './profile.ts'
import { authRateLimits, ipAddressHeaders } from './rate-limits.ts'
import { tokenAudience, tokenIssuer } from './token.ts'

const dayS = 24 * 60 * 60

export type Auth = ReturnType<typeof createAuth>

/** `origin` is the origin of our pages: the public URL, or in development the origin of the request. */
export function createAuth(env: Env, settings: Settings, origin: string) {
  const send = sayWhenUnsent(createMailer(env, settings))
  const count = createCounter(env, settings.redis, Date.now)
  /** For the mail with a link and a code. Set below, because the code comes from another plugin of the same instance. */
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
    hooks: {
      before: guards({ env, settings, count }),
      after: createAuthMiddleware((ctx) => rememberBrowser(ctx, settings.authSecret)),
    },
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
      ipAddress: { ipAddressHeaders },
      ...(origin.startsWith('https:') ? hostCookies : {}),
      // Nobody waits for the mail company. Without one a mail is a row in D1 or a refusal, and both are worth waiting for.
      ...(settings.mail ? { backgroundTasks: { handler: waitUntil } } : {}),
    },
    databaseHooks: {
      user: {
        create: {
          // The id is made here: it contains the number of the user's content database, and a guest's name follows from it.
          before: async (created) => {
            const id = newUserId(env)
            return { data: { ...created, id, ...newProfile(created, id) } }
          },
          after: async (created, ctx) =>
            ensurePersonRows(
              contentDb(env, created.id),
              created.id,
              await usageSourceOf(env, settings.authSecret, created, ctx?.headers ?? null),
            ),
        },
        update: { before: async (changes) => ({ data: changedProfile(changes) }) },
        delete: { after: async ({ id }) => endSessions(env, id, 'all') },
      },
      session: {
        // Again at every sign-in, which repairs lost rows. A deletion that failed halfway removed the usage, which is restored by the address.
        create: { after: async ({ userId }) => repairPersonRows(env, settings.authSecret, userId) },
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
        storeToken: { type: 'custom-hasher', hash: hashLinkToken },
        sendMagicLink: async ({ email, url, token }, ctx) => {
          const asking = ctx && (await getSessionFromCtx(ctx, { disableRefresh: true }))
          const { searchParams } = new URL(url)
          searchParams.set('account', await linkAccount(settings.authSecret, token, email))
          if (asking) searchParams.set('guest', await linkProof(settings.authSecret, token, asking.user.id))
          await send(linkMail(email, landingUrl(origin, searchParams), await codeOf(email)))
        },
      }),
      emailOTP({
        // A new mail repeats a code that has not expired, so a stranger's request does not void the code of the owner.
        storeOTP: 'encrypted',
        resendStrategy: 'reuse',
        allowedAttempts: maxTriesPerCode,
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
      ...turnstilePlugins(settings.turnstile, count),
    ],
  })
  codeOf = async (email) => {
    const { otp } = await auth.api.getVerificationOTP({ query: { email, type: 'sign-in' } })
    return otp ?? auth.api.createVerificationOTP({ body: { email, type: 'sign-in' } })
  }
  return auth
}

/** Endpoints that the product does not offer. A magic link is used by POST /api/auth/magic-link/verify, which calls better-auth directly. */
const disabledPaths = [
  ...['/sign-in/email', '/sign-up/email', '/request-password-reset', '/reset-password', '/change-password', '/set-password'],
  ...['/verify-password', '/change-email', '/send-verification-email', '/forget-password/email-otp', '/email-otp/request-password-reset'],
  ...['/email-otp/reset-password', '/email-otp/request-email-change', '/email-otp/change-email', '/email-otp/check-verification-otp'],
  ...['/email-otp/verify-email', '/magic-link/verify'],
]

/**
 * The `__Host-` prefix prevents other subdomains and http pages from setting a session cookie. better-auth would add `__Secure-`, so its
 * option is off and the prefix is part of the configured name.
 */
const hostCookies = {
  useSecureCookies: false,
  cookiePrefix: '__Host-better-auth',
  defaultCookieAttributes: { secure: true, path: '/' },
} as const

/** The cause goes to the log; the user reads that the mail was not sent. */
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
