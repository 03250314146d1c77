// The global WebSocket of the real client with a man in the middle: can change addresses and records errors.
import { vi } from 'vitest'

export type ReceivedError = { readonly kind: string; readonly origin?: string }

export class TamperedSocket extends WebSocket {
  /** Changes the address of every connection from now on. */
  static tamper: (url: URL) => void = () => undefined
  static readonly all: TamperedSocket[] = []

  readonly tags: string[] = []
  readonly errors: ReceivedError[] = []
  readonly closes: number[] = []
  /** The protocol header that the client offered. */
  readonly offered: string
  readonly sent: [tag: string, body: unknown][] = []
  /** Frames sent from now on are dropped: a network that fails silently. */
  dropsFrames = false

  constructor(url: string | URL, protocols?: string | string[]) {
    const address = new URL(url)
    TamperedSocket.tamper(address)
    super(address, protocols)
    this.offered = String(protocols)
    TamperedSocket.all.push(this)
    this.addEventListener('message', ({ data }) => {
      const [tag, body] = JSON.parse(String(data)) as [string, ReceivedError]
      this.tags.push(tag)
      if (tag === 'error') this.errors.push(body)
    })
    this.addEventListener('close', ({ code }) => this.closes.push(code))
  }

  override send(data: Parameters<WebSocket['send']>[0]): void {
    this.sent.push(JSON.parse(String(data)) as [string, unknown])
    if (!this.dropsFrames) super.send(data)
  }

  /** Delivers a frame that the server did not send. */
  receive(frame: readonly [tag: string, body: unknown]): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
  }

  /** For the rest of the file, without what earlier files recorded. */
  static install(): void {
    TamperedSocket.reset()
    vi.stubGlobal('WebSocket', TamperedSocket)
  }

  static last(): TamperedSocket {
    const last = TamperedSocket.all.at(-1)
    if (!last) throw new Error('no client has connected yet')
    return last
  }

  static reset(): void {
    TamperedSocket.tamper = () => undefined
    TamperedSocket.all.length = 0
  }
}
