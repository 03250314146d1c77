/**
 * Addresses that are written without brackets. They are links in every renderer of answers. An address ends at white space, `<>"` and a
 * backtick, at an asterisk, at punctuation and symbols beyond ASCII, and at a bracket that it did not open. Punctuation at its end does not
 * belong to it.
 */

/** The two noncharacters stand for signs of formulas (answer-syntax.ts). */
const addressChar = /[!#-)+-;=?-_a-~\p{L}\p{M}\p{N}\ufdd0\ufdd1]/u
const openers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * `escape`: a backslash or the end of a character reference. In a source, the parser resolves it first: `_` may be written as `\_`, and `&` as
 * `&amp;`.
 */
type Step = 'inside' | 'escape' | 'end'

/** Chosen: longer than the name of each character reference in use. */
const maxReferenceChars = 32

/** Takes an address character by character. */
function addressReader(): (char: string) => Step {
  const open = new Map<string, number>()
  let sinceAmpersand = maxReferenceChars
  return (char) => {
    if (!addressChar.test(char)) return 'end'
    const opener = openers[char]
    const depth = open.get(opener ?? char) ?? 0
    if (opener && depth === 0) return 'end'
    open.set(opener ?? char, opener ? depth - 1 : depth + 1)
    sinceAmpersand = char === '&' ? 0 : sinceAmpersand + 1
    return char === '\\' || (char === ';' && sinceAmpersand < maxReferenceChars) ? 'escape' : 'inside'
  }
}

/** Linear: a pattern would try each run of marks from each of its characters. */
function withoutEndMarks(address: string): string {
  let { length } = address
  while (length > 0 && "!',.:;?_~".includes(address.charAt(length - 1))) length -= 1
  return address.slice(0, length)
}

const webAddress = /^https?:\/\/[\p{L}\p{N}]/iu

/** The address of the web at the start of a source text; null without an address, or if it contains an escape. */
export function addressAt(source: string): string | null {
  if (!webAddress.test(source)) return null
  const read = addressReader()
  for (let end = 0; ; end += 1) {
    const step = end < source.length ? read(source.charAt(end)) : 'end'
    if (step === 'escape') return null
    if (step === 'end') return withoutEndMarks(source.slice(0, end))
  }
}

type Address = { readonly start: number; readonly text: string; readonly url: string }

const beginning =
  /(?<![a-z\d])https?:\/\/(?=[\p{L}\p{N}])|(?<![\w./@-])www\.(?=[\p{L}\p{N}])|(?<![\w+./-])(?:mailto:)?[\w+.-]+@[a-z\d_-]+(?:\.[a-z\d_-]+)+/giu

/** A parsed text, divided at its addresses. */
export function piecesOf(text: string): readonly (string | Address)[] {
  const pieces: (string | Address)[] = []
  let end = 0
  for (const address of addressesIn(text)) {
    if (address.start > end) pieces.push(text.slice(end, address.start))
    pieces.push(address)
    end = address.start + address.text.length
  }
  return end < text.length ? [...pieces, text.slice(end)] : pieces
}

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
    const read = addressReader()
    let end = start
    while (end < text.length && read(text.charAt(end)) !== 'end') end += 1
    const address = withoutEndMarks(text.slice(start, end))
    found.push({ start, text: address, url: /^www/i.test(address) ? `http://${address}` : address })
    pattern.lastIndex = end
  }
  return found
}
