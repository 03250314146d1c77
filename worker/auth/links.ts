/**
 * Binds a magic link to the user who was signed in when the link was requested. The landing page warns every other signed-in user, because
 * an attacker may have sent the link to move a guest's threads into the attacker's account. The proof is a digest of link and user, sent as
 * `guest`. `account` is a digest of the link and its e-mail address, so that the page recognises its own account after the link's row is
 * deleted.
 */
import { keyedDigest, sha256Hex } from '../lib/digests.ts'

export const linkProof = (secret: string, token: string, userId: string): Promise<string> =>
  keyedDigest(secret, 'link of guest', `${token}:${userId}`)

export const linkAccount = (secret: string, token: string, email: string): Promise<string> =>
  keyedDigest(secret, 'account of link', `${token}:${email.toLowerCase()}`)

type LinkQuery = { readonly token: string; readonly guest?: string | undefined }

export const isLinkOf = async (secret: string, { token, guest }: LinkQuery, userId: string): Promise<boolean> =>
  guest === (await linkProof(secret, token, userId))

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
export const hashLinkToken = (token: string): Promise<string> => sha256Hex(token)
