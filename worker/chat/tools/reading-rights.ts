/**
 * Which pages an answer may open: those that its own searches returned, and those that the person has just named. Neither a page nor an
 * attached file can add to the list, so text that tells a model to open an address of its own making, with the conversation in its query
 * string, leads nowhere. What is opened is the address as it was first given, so a model's spelling of it carries nothing out either.
 */
import type { ChatMessage } from '../../contract/messages.ts'
import { textOf } from '../../contract/messages.ts'
import { pageKey } from './public-url.ts'

/**
 * With or without a scheme, as people type them. A name begins where a part of one does, and its parts are as long and as many as a name's
 * may be: without these bounds a long text without spaces, as Chinese is, is read anew from every sign of it.
 */
const addressPattern =
  /(?:https?:\/\/)?(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,32}[\p{L}]{2,}(?::\d+)?(?:[/?#][^\s<>"`]*)?|https?:\/\/[^\s<>"`]+/giu

/** Where a sentence mostly goes on without a space; an address may hold them all the same. */
const wordEnds = /['’”»…。，、；：！？｡､」』）】》〉］]/u
/** What may end a sentence, and then belongs to no address. */
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

/** Ours: the message that is answered, and the one before it, for “and now read it”. Whatever was named earlier is another request. */
const latestMessages = 2

export class ReadingRights {
  readonly #given = new Map<string, string>()

  constructor(history: readonly ChatMessage[]) {
    for (const message of history.filter(({ role }) => role === 'user').slice(-latestMessages))
      for (const [address] of textOf(message).matchAll(addressPattern)) {
        this.#allowTyped(address)
        // Whether such a sign belongs to the address or ends it, nobody knows: both are what the person named.
        if (wordEnds.test(address))
          for (const piece of address.split(wordEnds)) for (const [named] of piece.matchAll(addressPattern)) this.#allowTyped(named)
      }
  }

  allow(url: string): void {
    const key = pageKey(url)
    if (key !== null && !this.#given.has(key)) this.#given.set(key, url)
  }

  /** The address to open for what a model asked to read; null when nobody gave it that one. */
  given(url: string): string | null {
    const key = pageKey(url)
    return key === null ? null : (this.#given.get(key) ?? null)
  }

  /** What ends a sentence does not belong to the address in it, but it might. */
  #allowTyped(text: string): void {
    for (const address of [text, withoutSentence(text)]) this.allow(/^https?:/i.test(address) ? address : `https://${address}`)
  }
}

/** Without what ends a sentence behind an address, and without closing brackets that nothing in the address has opened. */
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

/** By opening bracket: how many more are closed than opened. */
function surplusOf(text: string): Map<string, number> {
  const surplus = new Map(Object.values(brackets).map((opening) => [opening, 0]))
  for (const sign of text) {
    const opening = brackets[sign] ?? sign
    const count = surplus.get(opening)
    if (count !== undefined) surplus.set(opening, count + (opening === sign ? -1 : 1))
  }
  return surplus
}
