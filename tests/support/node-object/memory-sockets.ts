/**
 * The two ends of a WebSocket in memory. Messages wait in `sent` of their end until the test delivers them, so that it controls the order.
 * The server's end has the methods of a hibernating socket.
 */
import { vi } from 'vitest'
import { installTimers } from './life-timers.ts'

/** Attachments are copied like messages between workers, and have a limit. */
const maxAttachmentBytes = 16_384
/** These codes mean that no code was received. */
const unsendable = new Set([1004, 1005, 1006, 1015])

export class MemorySocket {
  /** Messages sent by this end and not delivered yet. */
  readonly sent: string[] = []
  closedBy: { readonly code: number; readonly reason: string } | null = null
  readyState: number = WebSocket.OPEN
  tags: readonly string[] = []
  #attachment: string | null = null

  send(data: string | ArrayBuffer): void {
    if (this.readyState !== WebSocket.OPEN) throw new Error("Can't call WebSocket send() after close().")
    this.sent.push(String(data))
  }

  close(code?: number, reason = ''): void {
    if (code !== undefined && (code < 1000 || code > 4999 || unsendable.has(code)))
      throw new TypeError(`Invalid WebSocket close code: ${code}.`)
    if (this.readyState !== WebSocket.OPEN) return
    this.readyState = WebSocket.CLOSING
    this.closedBy = { code: code ?? 1005, reason }
  }

  accept(): void {}

  serializeAttachment(value: unknown): void {
    const text = JSON.stringify(value)
    if (text.length > maxAttachmentBytes) throw new Error('A WebSocket attachment is too large.')
    this.#attachment = text
  }

  deserializeAttachment(): unknown {
    return this.#attachment === null ? null : JSON.parse(this.#attachment)
  }
}

class MemorySocketPair {
  readonly 0 = new MemorySocket()
  readonly 1 = new MemorySocket()

  constructor() {
    pairs.set(this[0], this[1])
    pairs.set(this[1], this[0])
  }
}

const pairs = new WeakMap<MemorySocket, MemorySocket>()

export function otherEnd(socket: MemorySocket): MemorySocket {
  const other = pairs.get(socket)
  if (!other) throw new Error('a socket of a pair was expected')
  return other
}

/** Installs APIs that workerd has and Node lacks or implements differently, until the end of the test file. */
export function installPlatform(): void {
  if (Reflect.get(globalThis, 'WebSocketPair') === MemorySocketPair) return
  installTimers()
  class UpgradeResponse extends Response {
    constructor(body?: BodyInit | null, init: ResponseInit & { webSocket?: unknown } = {}) {
      // Node's `Response` rejects status 101; only the caller sees this one.
      super(body ?? null, init.status === 101 ? { ...init, status: 200 } : init)
      Object.defineProperty(this, 'webSocket', { value: init.webSocket ?? null })
      if (init.status === 101) Object.defineProperty(this, 'status', { value: 101 })
    }
  }
  class WebSocketRequestResponsePair {}
  // A pause ends at once: everything that can happen during it can also happen during a D1 request, which the simulation controls.
  const scheduler = { wait: () => Promise.resolve() }
  const platform = { WebSocketPair: MemorySocketPair, WebSocketRequestResponsePair, Response: UpgradeResponse, scheduler }
  for (const [name, value] of Object.entries(platform)) vi.stubGlobal(name, value)
}
