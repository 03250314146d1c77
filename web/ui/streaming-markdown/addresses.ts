/**
 * Addresses that are written without brackets. They are links in every renderer of answers. An address ends at white space, `<>"` and a
 * backtick, at an asterisk, at punctuation and symbols beyond ASCII, and at a bracket that it did not open. Punctuation at its end does not
 * belong to it.
 */

/** The two noncharacters stand for signs of formulas (math.ts, formula-bars.ts). */
const addressChar = /[!#-)+-;=?-_a-~\p{L}\p{M}\p{N}\ufdd0\ufdd1]/u
const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Takes an address character by character. False at the first one that does not belong to it. */
export function addressReader(): (char: string) => boolean {
  const open = new Map<string, number>()
  return (char) => {
    if (!addressChar.test(char)) return false
    const opener = openers[char]
    const depth = open.get(opener ?? char) ?? 0
    if (opener && depth === 0) return false
    open.set(opener ?? char, opener ? depth - 1 : depth + 1)
    return true
  }
}

export const withoutEndMarks = (address: string): string => address.replace(/[!',.:;?_~]+$/, '')

export const webAddress = /^https?:\/\/[\p{L}\p{N}]/iu

/** A beginning of an address, up to its first letter or longer. */
export const mayBeginAddress = (text: string): boolean =>
  ['http://', 'https://'].some((scheme) => scheme.startsWith(text.toLowerCase())) || webAddress.test(text)

/** A backslash or a character reference. The parser resolves it first: `_` may be written as `\_`, and `&` as `&amp;`. */
export const endsInEscape = (address: string): boolean => /\\$|&#?\w{1,31};$/.test(address)

/** The address of the web at the start of a source text; null if there is none, or if it contains an escape. */
export function addressAt(source: string): string | null {
  if (!webAddress.test(source)) return null
  const belongs = addressReader()
  let end = 0
  while (end < source.length && belongs(source.charAt(end))) end += 1
  const address = source.slice(0, end)
  return /\\|&#?\w{1,31};/.test(address) ? null : withoutEndMarks(address)
}

type Address = { readonly start: number; readonly text: string; readonly url: string }

const beginning =
  /(?<![a-z\d])https?:\/\/(?=[\p{L}\p{N}])|(?<![\w./@-])www\.(?=[\p{L}\p{N}])|(?<![\w+./-])(?:mailto:)?[\w+.-]+@[a-z\d_-]+(?:\.[a-z\d_-]+)+/giu

/** The addresses of the web and of mail in a parsed text. */
export function addressesIn(text: string): readonly Address[] {
  const found: Address[] = []
  const pattern = new RegExp(beginning)
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index
    if (match[0].includes('@')) {
      if (/[a-z]$/i.test(match[0])) found.push({ start, text: match[0], url: match[0].replace(/^(?:mailto:)?/i, 'mailto:') })
      continue
    }
    const belongs = addressReader()
    let end = start
    while (end < text.length && belongs(text.charAt(end))) end += 1
    const address = withoutEndMarks(text.slice(start, end))
    found.push({ start, text: address, url: /^www/i.test(address) ? `http://${address}` : address })
    pattern.lastIndex = end
  }
  return found
}
