// A wire client that writes continuously and survives server crashes: it stores unconfirmed mutations, reconnects with its cookie and
// resends, like the real client but without its delays. It checks the server's cookies and mutation ids.
import { clientSchema } from './client-schema.ts'
import type { Guest } from './guest.ts'
import { applyRowOp, type RowOp } from './row-ops.ts'

type Frame = readonly [tag: string, body: { readonly [key: string]: unknown }]
type Row = { readonly [column: string]: unknown }

export type SteadyWriterOptions = {
  readonly guest: Guest
  readonly clientID: string
  readonly query: { readonly hash: string; readonly name: string; readonly args: readonly unknown[] }
  /** The n-th mutation. */
  readonly write: (id: number) => { readonly name: string; readonly args: unknown }
}

const maxInFlight = 10

export class SteadyWriter {
  /** The last mutation id created, and the last one confirmed. */
  made = 0
  confirmed = 0
  isWriting = false
  /** Protocol violations by the server. */
  readonly errors: string[] = []
  readonly rows = new Map<string, Row>()
  readonly #options: SteadyWriterOptions
  readonly #groupID: string
  #cookie: string | null = null
  #parts: Frame[1][] = []
  #socket: WebSocket | null = null
  readonly #waiting = new Set<() => void>()

  constructor(options: SteadyWriterOptions) {
    this.#options = options
    this.#groupID = `group-of-${options.clientID}`
  }

  /** Resolves after the first poke, with unconfirmed mutations resent. */
  async connect(): Promise<void> {
    const { guest, clientID, query } = this.#options
    const url = new URL(`${guest.url.replace('http', 'ws')}/sync/v51/connect`)
    const params = {
      clientID,
      clientGroupID: this.#groupID,
      userID: guest.userId,
      baseCookie: this.#cookie ?? '',
      lmid: `${this.confirmed}`,
    }
    for (const [name, value] of Object.entries({ ...params, ts: '0', wsid: 'w' })) url.searchParams.set(name, value)
    const isNew = this.#cookie === null
    const desiredQueriesPatch = isNew ? [{ op: 'put', ttl: 600_000, ...query }] : []
    const init = ['initConnection', { desiredQueriesPatch, ...(isNew ? { clientSchema: clientSchema() } : {}) }]
    const sent = JSON.stringify({ initConnectionMessage: init, authToken: await guest.token() })
    const socket = new WebSocket(url, [encodeURIComponent(btoa(sent))])
    this.#socket = socket
    this.#parts = []
    let isPoked = false
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame
      this.#onFrame(frame)
      if (frame[0] === 'connected') for (let id = this.confirmed + 1; id <= this.made; id++) this.#send(id)
      isPoked ||= frame[0] === 'pokeEnd'
      this.#fill()
      for (const check of [...this.#waiting]) check()
    })
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#socket = null
    })
    await this.#until(() => isPoked)
    this.#fill()
  }

  get isConnected(): boolean {
    return this.#socket !== null
  }

  start(): void {
    this.isWriting = true
    this.#fill()
  }

  /** Creates no further mutations, and resolves when all are confirmed. */
  async finish(): Promise<void> {
    this.isWriting = false
    await this.#until(() => this.confirmed >= this.made)
  }

  /** Resolves when the rows of this client satisfy the condition. */
  shows(holds: () => boolean): Promise<void> {
    return this.#until(holds)
  }

  close(): void {
    this.#socket?.close(1000)
  }

  #fill(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN || this.#cookie === null) return
    while (this.isWriting && this.made - this.confirmed < maxInFlight) this.#send(++this.made)
  }

  #send(id: number): void {
    const { clientID, write } = this.#options
    const { name, args } = write(id)
    const mutation = { type: 'custom', id, clientID, name, args: [args], timestamp: 0 }
    const push = { clientGroupID: this.#groupID, mutations: [mutation], pushVersion: 1, requestID: `${id}`, timestamp: 0 }
    this.#socket?.send(JSON.stringify(['push', push]))
  }

  #onFrame([tag, body]: Frame): void {
    if (tag === 'error') this.errors.push(`error ${JSON.stringify(body)}`)
    if (tag === 'pokeStart' && body.baseCookie !== this.#cookie)
      this.errors.push(`a poke from ${String(body.baseCookie)} to a client at ${this.#cookie}`)
    if (tag === 'pokePart') this.#parts.push(body)
    if (tag !== 'pokeEnd') return
    // Atomic: an incomplete poke is dropped with its connection.
    for (const part of this.#parts.splice(0)) this.#applyPart(part)
    if (this.#cookie !== null && String(body.cookie) < this.#cookie) this.errors.push(`cookie ${String(body.cookie)} after ${this.#cookie}`)
    this.#cookie = String(body.cookie)
  }

  #applyPart(part: Frame[1]): void {
    for (const op of (part.rowsPatch ?? []) as RowOp[]) applyRowOp(this.rows, op)
    if (part.mutationsPatch) this.errors.push(`refused ${JSON.stringify(part.mutationsPatch)}`)
    const confirmed = ((part.lastMutationIDChanges ?? {}) as { [clientID: string]: number })[this.#options.clientID]
    if (confirmed === undefined) return
    if (confirmed < this.confirmed || confirmed > this.made)
      this.errors.push(`confirmed ${confirmed} of ${this.made} after ${this.confirmed}`)
    this.confirmed = confirmed
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds()) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }
}
