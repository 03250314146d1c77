/**
 * Binds a magic link to the user who was signed in when the link was requested. The landing page warns every other signed-in user, because
 * an attacker may have sent the link to move a guest's threads into the attacker's account. The proof is a digest of link and user, sent as
 * `guest`. `account` is a digest of the link and its e-mail address, so that the page recognises its own account after the link's row is
 * deleted.
 */
import { keyedDigest } from '../lib/keyed-digest.ts'

export const linkProof = (secret: string, token: string, userId: string): Promise<string> =>
  keyedDigest(secret, 'link of guest', `${token}:${userId}`)

export const linkAccount = (secret: string, token: string, email: string): Promise<string> =>
  keyedDigest(secret, 'account of link', `${token}:${email.toLowerCase()}`)

type LinkQuery = { readonly token: string; readonly guest?: string | undefined }

export const isLinkOf = async (secret: string, { token, guest }: LinkQuery, userId: string): Promise<boolean> =>
  guest === (await linkProof(secret, token, userId))
