/** The URL of a magic link, and the stored form of its token. */
import { sha256Hex } from '../lib/sha256.ts'

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
