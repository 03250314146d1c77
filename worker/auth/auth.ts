/**
 * The better-auth configuration: guests, magic links, e-mail codes, Google, GitHub, organizations with teams, and the sync token. Sessions
 * and codes are stored only in D1, so a revoked session is refused by the next request. A guest who signs in becomes the account,
 * completely or not at all (account-linking.ts).
 */
import { waitUntil } from 'cloudflare:workers'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { anonymous, emailOTP, jwt, magicLink, organization } from 'better-auth/plugins'
import type { Env } from '../bindings.ts'
import { directoryOrm, directoryTables } from '../db/directory-orm.ts'
import { newId } from '../db/new-id.ts'
import { contentDb, newUserId } from '../db/shards.ts'
import { ensureUserRows } from '../db/user-rows.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import { endSessions } from '../user-sync/rpc.ts'
import { mustNotBeDeparting } from './account-deletion.ts'
import { linkGuestAtSignIn } from './account-linking.ts'
import { maxTriesPerCode } from './auth-limits.ts'
import { createTurnstile } from './captcha.ts'
import { createCounter } from './counters.ts'
import { repairUserRows, usageSourceOf } from './day-use-origin.ts'
import { guards } from './guards.ts'
import { markKnownBrowser } from './known-browser.ts'
import { hashLinkToken, landingUrl, linkAccount, linkProof } from './links.ts'
import { codeMail, confirmationMail, createMailer, linkMail, type Mailer, mailLanguage } from './mails.ts'
import { ipAddressHeaders } from './networks.ts'
import { organizationOptions } from './organizations.ts'
import { changedProfile, newProfile } from './profile.ts'
import { providerLimits } from './provider-limits.ts'
import { authRateLimits } from './rate-limits.ts'
import { tokenAudience, tokenIssuer } from './token.ts'

const dayS = 24 * 60 * 60

export type Auth = ReturnType<typeof createAuth>

/** `origin` is the origin of our pages: the public URL, or in development the origin of the request. */
export function createAuth(env: Env, settings: Settings, origin: string) {
  const send = reportMailFailure(createMailer(env, settings))
  const count = createCounter(env, settings.redis, Date.now)
  const turnstile = createTurnstile(settings.turnstile, count)
  /** For the mail with a link and a code. Assigned below, because the code comes from another plugin of the same instance. */
  let codeOf: (email: string) => Promise<string>
  const auth = betterAuth({
    appName: 'Parley',
    baseURL: origin,
    basePath: '/api/auth',
    secret: settings.authSecret,
    trustedOrigins: [origin],
    telemetry: { enabled: false },
    // Only the first line: drizzle quotes values below it, and better-auth appends data that may be the user's.
    logger: { level: 'warn', log: (level, message) => logger.warn('better_auth', { level, message: message.split('\n', 1)[0] }) },
    // Refusals become responses. Errors are thrown to the caller: better-auth would log them with the user's values that drizzle quotes, and
    // respond without a body.
    onAPIError: { errorURL: `${origin}/login`, throw: true },
    database: drizzleAdapter(directoryOrm(env), { provider: 'sqlite', schema: directoryTables, camelCase: true, transaction: false }),
    // Reading sessions needs no fresh session. guards.ts checks freshness where it is required.
    session: { expiresIn: 365 * dayS, updateAge: dayS, freshAge: 0 },
    rateLimit: { enabled: true, ...authRateLimits(settings.environment, count) },
    disabledPaths,
    hooks: {
      before: guards({ env, settings, count, turnstile }),
      after: createAuthMiddleware((ctx) => markKnownBrowser(ctx, settings.authSecret)),
    },
    // guards.ts deletes the account.
    user: { deleteUser: { enabled: true } },
    socialProviders: {
      // Sign-in happens through redirects only. Accepting id tokens would let any client trigger requests for the provider's keys.
      ...(settings.google ? { google: { ...settings.google, disableIdTokenSignIn: true } } : {}),
      ...(settings.github ? { github: settings.github } : {}),
    },
    advanced: {
      // Joins read a session and its user in one round trip instead of two. The default limit of 100, oldest first, would omit the current
      // session from a list.
      database: { generateId: newId, joins: true, defaultFindManyLimit: 1000 },
      ipAddress: { ipAddressHeaders },
      ...(origin.startsWith('https:') ? hostCookies : {}),
      // Sending mail does not delay the response. Without a provider the mail is a row in D1 or a refusal, and both are awaited.
      ...(settings.mail ? { backgroundTasks: { handler: waitUntil } } : {}),
    },
    databaseHooks: {
      user: {
        create: {
          // The id is created here: it contains the number of the user's content database, and a guest's name derives from it.
          before: async (created) => {
            const id = newUserId(env)
            return { data: { ...created, id, ...newProfile(created, id) } }
          },
          after: async (created, ctx) =>
            ensureUserRows(
              contentDb(env, created.id),
              created.id,
              await usageSourceOf(env, settings.authSecret, created, ctx?.headers ?? null),
            ),
        },
        update: { before: async (changes) => ({ data: changedProfile(changes) }) },
      },
      session: {
        create: {
          before: async ({ userId }) => mustNotBeDeparting(env, userId),
          // Runs at every sign-in and repairs rows that were lost after the user row was inserted. The usage of a deleted account is
          // restored by the digest of the address.
          after: async ({ userId }) => repairUserRows(env, settings.authSecret, userId),
        },
        // Runs for sign-out and revocation. The sockets of the session close immediately.
        delete: { after: async ({ id, userId }) => void (await endSessions(env, userId, [id])) },
      },
    },
    plugins: [
      anonymous({
        // The account linking deletes the guest in its own batch.
        disableDeleteAnonymousUser: true,
        onLinkAccount: ({ anonymousUser, newUser, ctx }) =>
          linkGuestAtSignIn(env, {
            guest: anonymousUser.user,
            account: newUser.user,
            newToken: newUser.session.token,
            sessions: ctx.context.internalAdapter,
          }),
      }),
      magicLink({
        storeToken: { type: 'custom-hasher', hash: hashLinkToken },
        sendMagicLink: async ({ email, url, token }, ctx) => {
          const requester = ctx && (await getSessionFromCtx(ctx, { disableRefresh: true }))
          const { searchParams } = new URL(url)
          searchParams.set('account', await linkAccount(settings.authSecret, token, email))
          if (requester) searchParams.set('guest', await linkProof(settings.authSecret, token, requester.user.id))
          await send(linkMail(mailLanguage(ctx?.headers), email, landingUrl(origin, searchParams), await codeOf(email)))
        },
      }),
      emailOTP({
        // A new mail repeats a code that has not expired, so a request by another user does not void the owner's code.
        storeOTP: 'encrypted',
        resendStrategy: 'reuse',
        allowedAttempts: maxTriesPerCode,
        sendVerificationOTP: async ({ email, otp }, ctx) => {
          const requester = ctx && (await getSessionFromCtx(ctx, { disableRefresh: true }))
          const isOwn = requester?.user.email.toLowerCase() === email.toLowerCase()
          await send((isOwn ? confirmationMail : codeMail)(mailLanguage(ctx?.headers), email, otp))
        },
      }),
      jwt({
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } },
        jwt: {
          issuer: tokenIssuer,
          audience: tokenAudience,
          expirationTime: '15m',
          // No personal data: browsers store the token and send it in a header.
          definePayload: ({ session: { id } }) => ({ sid: id }),
        },
      }),
      organization(organizationOptions(env, origin, send)),
      providerLimits(),
      ...(turnstile ? [turnstile.plugin] : []),
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
function reportMailFailure(mailer: Mailer): Mailer {
  return async (mail) => {
    try {
      await mailer(mail)
    } catch (error) {
      logger.error('mail_failed', error)
      throw new APIError('SERVICE_UNAVAILABLE', { code: 'MAIL_NOT_SENT' })
    }
  }
}
