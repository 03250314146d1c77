/**
 * How much a connection was told since its client is known to have heard all of it. Neither the platform nor the protocol says so at once: the one
 * sign there is, is the client's ping, which it sends when nothing has come for five seconds, and which the platform answers and dates by itself.
 */
import { maxUnheardChars } from './protocol/limits.ts'

export class Unheard {
  readonly #ctx: DurableObjectState
  readonly #said = new WeakMap<WebSocket, { chars: number; atMs: number }>()

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  add(socket: WebSocket, chars: number): void {
    const said = this.#said.get(socket)
    if (said) {
      said.chars += chars
      said.atMs = Date.now()
    } else this.#said.set(socket, { chars, atMs: Date.now() })
  }

  isTooMuch(socket: WebSocket): boolean {
    const said = this.#said.get(socket)
    if (!said || said.chars <= maxUnheardChars) return false
    const pingedAtMs = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0
    if (pingedAtMs <= said.atMs) return true
    this.#said.delete(socket)
    return false
  }
}
