/**
 * Which IP addresses anybody on the internet may be sent to. Everything that IANA's special-purpose registries (RFC 6890 and its updates)
 * keep for machines, networks, documents or tunnels is not public: behind it may stand what only we can reach.
 */

/** Network, prefix length. */
const specialIPv4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Dotted decimal or IPv6 without brackets, as `URL` and DNS write them. What is neither is not public. */
export function isPublicAddress(address: string): boolean {
  const ipv4 = ipv4Of(address)
  if (ipv4 !== null) return !specialIPv4.some(([network, prefix]) => isWithin(ipv4, network, prefix))
  const groups = ipv6Groups(address)
  return groups !== null && isPublicIPv6(groups)
}

export const isIPv4 = (text: string): boolean => ipv4Of(text) !== null

/** Only 2000::/3 is given to the public; mapped, NAT64, unique-local, link-local and multicast addresses all lie outside it. */
function isPublicIPv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0] = groups
  if (first >> 13 !== 1) return false
  // 2001::/23: Teredo, benchmarking, ORCHID. 2001:db8::/32 and 3fff::/20: documents. 2002::/16: 6to4, which carries an IPv4 address.
  if (first === 0x2001 && (second >> 9 === 0 || second === 0x0db8)) return false
  return first !== 0x2002 && !(first === 0x3fff && second >> 12 === 0)
}

function ipv4Of(text: string): number | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  if (!match) return null
  const bytes = match.slice(1).map(Number)
  return bytes.some((byte) => byte > 255) ? null : bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

const isWithin = (address: number, network: string, prefix: number): boolean => {
  const size = 2 ** (32 - prefix)
  return Math.floor(address / size) === Math.floor((ipv4Of(network) ?? 0) / size)
}

function ipv6Groups(text: string): readonly number[] | null {
  const plain = withoutDottedEnd(text.replace(/%.*$/, ''))
  if (plain === null || !/^[0-9a-f:]+$/i.test(plain)) return null
  const halves = plain.split('::')
  if (halves.length > 2) return null
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail]
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? groups.map((group) => Number.parseInt(group, 16)) : null
}

/** `::ffff:127.0.0.1` as `::ffff:7f00:1`. */
function withoutDottedEnd(text: string): string | null {
  const match = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (!match) return text
  const ipv4 = ipv4Of(match[2] ?? '')
  return ipv4 === null ? null : `${match[1]}${(ipv4 >>> 16).toString(16)}:${(ipv4 & 0xffff).toString(16)}`
}
