/**
 * Which pages an answer may open: those that its own searches returned, and those that the person has just named. Neither a page nor an
 * attached file can add to the list, so text that tells a model to open an address of its own making, with the conversation in its query
 * string, leads nowhere. What is opened is the address as it was first given, so a model's spelling of it carries nothing out either.
 */
import type { ChatMessage } from '../../contract/messages.ts'
import { textOf } from '../../contract/messages.ts'
import { withoutEnd } from '../../contract/text-end.ts'
import { pageKey } from './public-url.ts'

/**
 * With or without a scheme, as people type them. A name begins where a part of one does, and its parts are as long and as many as a name's
 * may be: without these bounds a long text without spaces, as Chinese is, is read anew from every sign of it.
 */
const addressPattern =
  /(?:https?:\/\/)?(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,32}[\p{L}]{2,}(?::\d+)?(?:[/?#][^\s<>"'`]*)?|https?:\/\/[^\s<>"'`]+/giu

/** Ours: the message that is answered, and the one before it, for “and now read it”. Whatever was named earlier is another request. */
const latestMessages = 2

export class ReadingRights {
  readonly #given = new Map<string, string>()

  constructor(history: readonly ChatMessage[]) {
    for (const message of history.filter(({ role }) => role === 'user').slice(-latestMessages))
      for (const [address] of textOf(message).matchAll(addressPattern)) this.#allowTyped(address)
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

  /** What ends a sentence does not belong to the address in it, but it might: both are what the person named. */
  #allowTyped(text: string): void {
    for (const address of [text, withoutEnd(text, /[.,;:!?)\]}»”’*_]/u)])
      this.allow(/^https?:/i.test(address) ? address : `https://${address}`)
  }
}
