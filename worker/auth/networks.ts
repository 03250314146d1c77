/**
 * The networks that a request comes from, narrow to wide. An IPv6 customer gets a /64 up to a /48, so a limit on one size bounds nothing: a /48
 * contains 65,536 networks of size /64. Addresses are normalised, so that other spellings and IPv4-mapped IPv6 count as the same network.
 */
import { getIP } from 'better-auth/api'

/** `line`: an IPv4 address or IPv6 /64; `site`: a /56; `block`: an IPv4 /24 or IPv6 /48; `provider`: an IPv4 /16 or IPv6 /32. */
export type Networks = { readonly line: string } & { readonly [Size in (typeof wideSizes)[number]]?: string }

export const wideSizes = ['site', 'block', 'provider'] as const

export const ipAddressHeaders = ['cf-connecting-ip']

const within = (headers: Headers, ipv6Subnet: number): string | null =>
  getIP(headers, { advanced: { ipAddress: { ipAddressHeaders, ipv6Subnet } } })

export function networksOf(requestHeaders: Headers): Networks {
  // better-auth finds the IPv4 address in an uncompressed IPv6 address only if its letters are small.
  const headers = new Headers(ipAddressHeaders.map((name) => [name, (requestHeaders.get(name) ?? '').toLowerCase()]))
  const line = within(headers, 64)
  if (line === null) return { line: 'unknown' }
  const [a, b, c, d] = line.split('.')
  if (d !== undefined) return { line, block: `${a}.${b}.${c}.0/24`, provider: `${a}.${b}.0.0/16` }
  return { line, site: `${within(headers, 56)}/56`, block: `${within(headers, 48)}/48`, provider: `${within(headers, 32)}/32` }
}

/** For an address or a network as `line` names it. */
export const networksOfAddress = (address: string): Networks => networksOf(new Headers({ 'cf-connecting-ip': address }))

/** IPv6 loopback (::1) within its /64. */
const zeroLine = '0000:0000:0000:0000:0000:0000:0000:0000'

/** Null if the request has no public client IP, as on a local server. */
export function publicNetworksOf(headers: Headers | null): Networks | null {
  if (!headers?.get('cf-connecting-ip')) return null
  const networks = networksOf(headers)
  return networks.line.startsWith('127.') || networks.line === zeroLine ? null : networks
}
