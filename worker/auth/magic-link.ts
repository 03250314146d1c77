/**
 * The landing page of a magic link. Mail scanners open every link of a mail, so the link leads to a page of ours and only a POST from that
 * page uses the token.
 */
import type { MagicLinkHint } from '../contract/http.ts'
import type { Auth } from './auth.ts'
import { isLinkOf, linkAccount, linkProof } from './link-proof.ts'

/** Query parameters of a link. The landing page's form sends them back unchanged, without `account`. */
const linkFields = ['token', 'callbackURL', 'errorCallbackURL', 'guest', 'account'] as const

export function landingUrl(origin: string, fields: URLSearchParams): string {
  const page = new URL('/magic-link', origin)
  for (const name of linkFields) {
    const value = fields.get(name)
    if (value !== null) page.searchParams.set(name, value)
  }
  return page.href
}

/** The database stores only this hash of a token. */
export async function hashLinkToken(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

type Viewer = { readonly userId: string; readonly email: string }

/** Whose link the page shows. Reads the token without using it. Null when the address of the page has no token. */
export async function linkOnPage(auth: Auth, secret: string, page: URL, viewer: Viewer | null): Promise<MagicLinkHint | null> {
  const token = page.pathname === '/magic-link' ? page.searchParams.get('token') : null
  if (token === null) return null
  const email = await pendingAddress(auth, token)
  if (viewer === null) return { email, isForeign: false, isOwnAccount: false, proof: null }
  const guest = page.searchParams.get('guest') ?? undefined
  return {
    email,
    isForeign: !(await isLinkOf(secret, { token, guest }, viewer.userId)),
    isOwnAccount: page.searchParams.get('account') === (await linkAccount(secret, token, viewer.email)),
    proof: await linkProof(secret, token, viewer.userId),
  }
}

async function pendingAddress(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context
  const pending = await internalAdapter.findVerificationValue(`magic-link:${await hashLinkToken(token)}`)
  if (!pending || pending.expiresAt.getTime() <= Date.now()) return null
  const { email }: { email?: unknown } = JSON.parse(pending.value)
  return typeof email === 'string' ? email : null
}
