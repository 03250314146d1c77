/**
 * A signed cookie marks a browser that has completed a sign-in for an address. Rate limits for this address count the browser separately, so
 * attempts from other browsers do not affect it. The cookie contains a keyed digest of the address.
 */
import type { GenericEndpointContext } from 'better-auth'
import { keyedDigest } from '../lib/digests.ts'

/** Platform limit: browsers keep a cookie for at most 400 days (RFC 6265bis, section 5.5). Each sign-in renews it. */
const cookieLifeS = 400 * 24 * 60 * 60

export const addressDigest = (secret: string, email: string): Promise<string> => keyedDigest(secret, 'address', email.trim().toLowerCase())

/** One cookie per address, so a browser with two accounts is known for both. */
const cookieFor = ({ context }: GenericEndpointContext, digest: string) =>
  context.createAuthCookie(`known_${digest.slice(0, 16)}`, { maxAge: cookieLifeS })

/** The id of this browser if the address has signed in here, else null. */
export async function knownBrowserId(ctx: GenericEndpointContext, digest: string): Promise<string | null> {
  const value = await ctx.getSignedCookie(cookieFor(ctx, digest).name, ctx.context.secret)
  const [owner, id] = typeof value === 'string' ? value.split('.') : []
  return owner === digest && id !== undefined ? id : null
}

/** Runs after each endpoint; `newSession` is set when the endpoint has signed a user in. */
export async function markKnownBrowser(ctx: GenericEndpointContext, secret: string): Promise<void> {
  const user = ctx.context.newSession?.user
  if (!user || user.isAnonymous === true) return
  const digest = await addressDigest(secret, user.email)
  const { name, attributes } = cookieFor(ctx, digest)
  const id = (await knownBrowserId(ctx, digest)) ?? crypto.randomUUID()
  await ctx.setSignedCookie(name, `${digest}.${id}`, ctx.context.secret, attributes)
}
