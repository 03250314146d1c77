/**
 * The addresses that may log in: those of better-auth, and internationalised ones (RFC 6531), whose local part has letters beyond ASCII. A mail
 * to such an address arrives only if the mail provider supports SMTPUTF8.
 */
import * as z from 'zod'
import { maxEmailChars } from '../contract/limits.ts'

const ascii = z.core.regexes.email
const atom = "[\\p{L}\\p{M}\\p{N}_'+-]+"
/** The last label may be Punycode: `рф` is `xn--p1ai`. */
const domainName = '(?:[A-Za-z0-9][A-Za-z0-9-]*\\.)+(?:[A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9])'
const international = new RegExp(`^${atom}(?:\\.${atom})*@${domainName}$`, 'u')

const isAddress = (text: string): boolean => text.length <= maxEmailChars && (ascii.exec(text) !== null || international.test(text))

/**
 * better-auth checks addresses in its endpoints by zod's pattern and has no option for another one. All its checks call the method `test` of
 * this one object.
 */
ascii.test = isAddress

/**
 * The address with composed characters (NFC) and the domain in ASCII (Punycode). better-auth stores and compares it in lower case; the mail goes
 * to the address as typed. Null for a text that is no address or is too long.
 */
export function normalizedAddress(text: string): string | null {
  const address = text.trim().normalize('NFC')
  const at = address.lastIndexOf('@')
  const domain = /[^\0-\x7f]/.test(address.slice(at + 1)) ? asciiDomain(address.slice(at + 1)) : address.slice(at + 1)
  const whole = `${address.slice(0, at)}@${domain}`
  return at > 0 && domain !== null && isAddress(whole) ? whole : null
}

function asciiDomain(domain: string): string | null {
  // A URL would read these characters as its own.
  if (/[\s/?#:@\\[\]%]/.test(domain)) return null
  return URL.parse(`https://${domain}`)?.hostname ?? null
}
