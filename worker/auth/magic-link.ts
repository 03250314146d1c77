/**
 * The landing page of a magic link. Mail scanners open every link of a mail, so the link leads to a page of ours and only a POST from that
 * page uses the token.
 */
import type { MagicLinkDetails } from '../contract/http.ts'
import type { Auth } from './auth.ts'
import { hashLinkToken, isLinkOf, linkAccount, linkProof } from './links.ts'

type Viewer = { readonly userId: string; readonly email: string }

/** The account of the link on the page. Reads the token without using it. Null if the URL has no token. */
export async function linkOnPage(auth: Auth, secret: string, page: URL, viewer: Viewer | null): Promise<MagicLinkDetails | null> {
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

/** Null if the link does not exist, was used, or has expired. */
export async function pendingAddress(auth: Auth, token: string): Promise<string | null> {
  const { internalAdapter } = await auth.$context
  const pending = await internalAdapter.findVerificationValue(`magic-link:${await hashLinkToken(token)}`)
  if (!pending || pending.expiresAt.getTime() <= Date.now()) return null
  const { email }: { email?: unknown } = JSON.parse(pending.value)
  return typeof email === 'string' ? email : null
}
