/**
 * How much a connection was told since its client is known to have heard all of it. Neither the platform nor the protocol says so at once: the one
 * sign there is, is the client's ping, which it sends when nothing has come for five seconds, and which the platform answers and dates by itself.
 * Whoever pings without reading has one ping dated: the platform looks at the next when it could send the answer to the one before.
 */
import { maxUnheardChars } from './protocol/limits.ts'

/** What outlives the object's memory, in the attachment of its socket. */
export type Said = { readonly chars: number; readonly atMs: number }

type Counted = { chars: number; atMs: number; keptChars: number }

/** So much may be told before it is kept: attachments are not written for every poke. After a sleep it counts as told. */
const uncountedChars = 64 * 1024

export class Unheard {
  readonly #ctx: DurableObjectState
  readonly #counted = new WeakMap<WebSocket, Counted>()

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  /** Returns what is to be kept, when there is more of it than was kept before. */
  add(socket: WebSocket, kept: Said | undefined, chars: number): Said | null {
    const counted = this.#of(socket, kept)
    counted.chars += chars
    counted.atMs = Date.now()
    if (counted.chars - counted.keptChars < uncountedChars) return null
    counted.keptChars = counted.chars
    return { chars: counted.chars, atMs: counted.atMs }
  }

  isTooMuch(socket: WebSocket, kept: Said | undefined): boolean {
    const counted = this.#of(socket, kept)
    if (counted.chars <= maxUnheardChars) return false
    const pingedAtMs = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
    if (pingedAtMs <= counted.atMs) return true
    Object.assign(counted, { chars: 0, keptChars: 0 })
    return false
  }

  #of(socket: WebSocket, kept: Said | undefined): Counted {
    const known = this.#counted.get(socket)
    if (known) return known
    const counted = { chars: kept ? kept.chars + uncountedChars : 0, atMs: kept?.atMs ?? 0, keptChars: kept?.chars ?? 0 }
    this.#counted.set(socket, counted)
    return counted
  }
}
