/**
 * Decides which pages a turn may read: results of the searches of its branch, and addresses in the user's latest messages. Neither a page nor an
 * attached file can add to the list, so an injected instruction cannot send the conversation to a site in the query string of an address.
 * The search provider receives the address as it was first given, so a model cannot encode data in its spelling either.
 */
import { type ChatMessage, textOf } from '../../contract/threads/messages.ts'
import { sourceUrls } from '../../contract/threads/sources.ts'

/**
 * Addresses with or without a scheme. The bounds on the parts of a host name keep the match linear for long texts without spaces, such as
 * Chinese.
 */
const addressPattern =
  /(?:https?:\/\/)?(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,32}[\p{L}]{2,}(?::\d+)?(?:[/?#][^\s<>"`]*)?|https?:\/\/[^\s<>"`]+/giu

/** Characters that usually end an address in a sentence without spaces, although an address may contain them. */
const wordEnds = /['’”»…。，、；：！？｡､」』）】》〉］]/u
/** Characters at the end of a sentence. */
const sentenceEnds = /[.,;:!?*_'’”»…。，、；：！？｡､]/u
const brackets: Readonly<Record<string, string>> = {
  ')': '(',
  ']': '[',
  '}': '{',
  '）': '（',
  '］': '［',
  '】': '【',
  '」': '「',
  '』': '『',
  '》': '《',
  '〉': '〈',
}

/** Chosen: the last message and the one before it, for “and now read it”. */
const latestMessages = 2

export class ReadingRights {
  readonly #given = new Map<string, string>()

  constructor(history: readonly ChatMessage[]) {
    for (const { requestedUrl, url } of history.flatMap(({ parts }) => sourceUrls(parts))) {
      this.allow(requestedUrl)
      this.allow(url)
    }
    for (const message of history.filter(({ role }) => role === 'user').slice(-latestMessages))
      for (const [address] of textOf(message).matchAll(addressPattern)) {
        this.#allowTyped(address)
        // It is unknown if such a character belongs to the address, so both forms may be read.
        if (wordEnds.test(address))
          for (const piece of address.split(wordEnds)) for (const [named] of piece.matchAll(addressPattern)) this.#allowTyped(named)
      }
  }

  allow(url: string): void {
    const key = pageKey(url)
    if (key !== null && !this.#given.has(key) && !hasCredentials(url)) this.#given.set(key, url)
  }

  /** The address to read for the one that a model requested; null if the turn may not read it. */
  given(url: string): string | null {
    const key = pageKey(url)
    return key === null ? null : (this.#given.get(key) ?? null)
  }

  /** The address with and without the characters that end a sentence. */
  #allowTyped(text: string): void {
    for (const address of [text, withoutSentence(text)]) this.allow(/^https?:/i.test(address) ? address : `https://${address}`)
  }
}

/** Removes the end of a sentence, and closing brackets without an opening one. */
function withoutSentence(text: string): string {
  let end = text.length
  if (!isEnding(text.charAt(end - 1))) return text
  const surplus = surplusOf(text)
  for (; end > 0; end--) {
    const sign = text.charAt(end - 1)
    const opening = brackets[sign]
    if (opening === undefined ? !sentenceEnds.test(sign) : (surplus.get(opening) ?? 0) <= 0) break
    if (opening !== undefined) surplus.set(opening, (surplus.get(opening) ?? 0) - 1)
  }
  return text.slice(0, end)
}

const isEnding = (sign: string): boolean => brackets[sign] !== undefined || sentenceEnds.test(sign)

/** The number of unmatched closing brackets, by opening bracket. */
function surplusOf(text: string): Map<string, number> {
  const surplus = new Map(Object.values(brackets).map((opening) => [opening, 0]))
  for (const sign of text) {
    const opening = brackets[sign] ?? sign
    const count = surplus.get(opening)
    if (count !== undefined) surplus.set(opening, count + (opening === sign ? -1 : 1))
  }
  return surplus
}

const maxUrlChars = 2000

/** Equal for two spellings of one page: the scheme, a leading `www.`, the fragment and a slash at the end do not matter. */
export function pageKey(text: string): string | null {
  const url = parse(text)
  return url && `${url.hostname.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`
}

export const siteOf = (text: string): string => parse(text)?.hostname.replace(/^www\./, '') ?? text

/** An address with a user name or a password: never sent to the search provider. */
export function hasCredentials(text: string): boolean {
  const url = parse(text)
  return url !== null && (url.username !== '' || url.password !== '')
}

function parse(text: string): URL | null {
  return text.length > maxUrlChars ? null : URL.parse(text.trim())
}
