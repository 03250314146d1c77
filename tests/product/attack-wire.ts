/**
 * A client that violates the protocol: sends arbitrary frames to the sync socket of a running product, and records the received frames and
 * the close. `tests/support/wire-client.ts` is the compliant client.
 */
import { clientSchema } from '../support/client-schema.ts'
import type { Guest } from '../support/guest.ts'
import { sendWindowQueries } from '../support/message-windows.ts'

export type Body = { readonly [key: string]: unknown }
type Frame = readonly [tag: string, body: Body]
type Row = { readonly [column: string]: unknown }
type Result = { readonly message: string; readonly details?: { readonly code: string } }

export type RawOptions = {
  readonly params?: { readonly [name: string]: string | null }
  /** The sub-protocol as sent; by default built from a new token and an init message. */
  readonly protocol?: string | null
  readonly token?: string
  readonly queries?: readonly Body[]
  readonly init?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly path?: string
}

let made = 0
/** Valid for every kind of id. */
export const freshId = (kind: string): string => `${kind}-${process.pid}-${++made}-${Date.now().toString(36)}`

export const subProtocol = (sent: unknown): string => encodeURIComponent(Buffer.from(JSON.stringify(sent)).toString('base64'))

const answerWithinMs = 60_000

export class RawClient {
  readonly groupID: string
  readonly clientID: string
  readonly frames: Frame[] = []
  readonly rows = new Map<string, Row>()
  readonly results = new Map<string, Result>()
  closed: { readonly code: number; readonly reason: string } | null = null
  cookie: string | null = null
  /** Hashes of the message windows; null for a client without `threads.recent`. */
  windows: Set<string> | null = null
  #confirmed = 0
  #sent = 0
  readonly #socket: WebSocket
  readonly #waiting = new Set<() => void>()

  constructor(socket: WebSocket, groupID: string, clientID: string) {
    this.#socket = socket
    this.groupID = groupID
    this.clientID = clientID
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Frame))
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason }
      this.#wake()
    })
  }

  /** False when no more frames arrive; the close event may follow much later. */
  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** The kind of the error that ended the connection. */
  get errorKind(): string | null {
    const error = this.frames.find(([tag]) => tag === 'error')
    return error ? String(error[1].kind) : null
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' || frame instanceof Uint8Array ? (frame as string) : JSON.stringify(frame))
  }

  pushFrame(mutations: readonly Body[], clientGroupID = this.groupID): unknown {
    return ['push', { clientGroupID, mutations, pushVersion: 1, requestID: 'r', timestamp: 1 }]
  }

  mutation(id: number, name: string, args: unknown): Body {
    return { type: 'custom', id, clientID: this.clientID, name, args: [args], timestamp: 1 }
  }

  /** Sends one mutation and resolves with the reason of its refusal, or null. */
  async mutate(name: string, args: unknown): Promise<Result | null> {
    const id = ++this.#sent
    this.send(this.pushFrame([this.mutation(id, name, args)]))
    await this.until(() => this.#confirmed >= id, `${name} confirmed`)
    return this.results.get(`${this.clientID} ${id}`) ?? null
  }

  /** Resolves when all frames sent so far are handled: the server handles one frame after the other. */
  async settled(): Promise<void> {
    const pongs = () => this.frames.filter(([tag]) => tag === 'pong').length
    const before = pongs()
    // The platform replies to a ping itself; the space makes the object reply.
    if (!this.closed) this.send('["ping", {}]')
    await this.until(() => this.closed !== null || pongs() > before, 'pong or close')
  }

  async until(holds: () => boolean, what: string, withinMs = answerWithinMs): Promise<void> {
    const giveUpAt = Date.now() + withinMs
    while (!holds()) {
      const left = giveUpAt - Date.now()
      const received = JSON.stringify(this.frames.slice(-2)).slice(0, 300)
      if (left <= 0) throw new Error(`not in time: ${what}; received ${received}; ${JSON.stringify(this.closed)}`)
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          this.#waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, left)
        this.#waiting.add(wake)
      })
    }
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.until(() => this.closed !== null, 'closed')
  }

  #receive(frame: Frame): void {
    this.frames.push(frame)
    const [tag, body] = frame
    if (tag === 'pokeEnd') this.cookie = String(body.cookie)
    if (tag === 'pokePart') this.#take(body)
    if (tag === 'pokeEnd' && this.windows && this.isOpen) {
      const threadIds = [...this.rows].flatMap(([key, { id }]) => (key.startsWith('thread ') ? [String(id)] : []))
      sendWindowQueries(threadIds, this.windows, (frame) => this.send(frame))
    }
    this.#wake()
  }

  #take(part: Body): void {
    for (const op of (part.rowsPatch ?? []) as { op: string; tableName: string; value: Row; id: Row; merge: Row }[]) {
      if (op.op === 'put') this.rows.set(`${op.tableName} ${op.value.id}`, op.value)
      else if (op.op === 'del') this.rows.delete(`${op.tableName} ${op.id.id}`)
      // This client claims rows that it does not have, so it may receive an update of an unknown row.
      else if (op.op === 'update')
        this.rows.set(`${op.tableName} ${op.id.id}`, { ...this.rows.get(`${op.tableName} ${op.id.id}`), ...op.merge })
    }
    const progress = (part.lastMutationIDChanges ?? {}) as { [clientID: string]: number }
    this.#confirmed = progress[this.clientID] ?? this.#confirmed
    for (const { mutation } of (part.mutationsPatch ?? []) as { mutation?: { id: { clientID: string; id: number }; result: Result } }[])
      if (mutation) this.results.set(`${mutation.id.clientID} ${mutation.id.id}`, mutation.result)
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}

/** Resolves with the first frame or the close. */
export async function openRaw(guest: Guest, options: RawOptions = {}): Promise<RawClient> {
  const { params: given, queries = [], init, headers = {}, path = '/sync/v51/connect' } = options
  const params = {
    ...{ clientID: freshId('client'), clientGroupID: freshId('group'), userID: guest.userId, baseCookie: '', ts: '0', lmid: '0' },
    ...{ wsid: 'socket', ...given },
  }
  const url = new URL(`${guest.url.replace('http', 'ws')}${path}`)
  for (const [name, value] of Object.entries(params)) if (value !== null) url.searchParams.set(name, value)
  const patch = queries.map((query) => ({ op: 'put', ttl: 300_000, ...query }))
  const greeting = init ?? { desiredQueriesPatch: patch, clientSchema: clientSchema() }
  const {
    protocol = subProtocol({ initConnectionMessage: ['initConnection', greeting], authToken: options.token ?? (await guest.token()) }),
  } = options
  const protocols = protocol === null ? [] : [protocol]
  // Node's WebSocket accepts headers, a browser's does not.
  const socket = new WebSocket(url, { protocols, headers } as unknown as string[])
  const rogue = new RawClient(socket, params.clientGroupID ?? '', params.clientID ?? '')
  if (queries.some(({ name }) => name === 'threads.recent')) rogue.windows = new Set()
  await rogue.until(() => rogue.frames.length > 0 || rogue.closed !== null, 'the first frame')
  return rogue
}

/** Resolves after the first poke. */
export async function connectRaw(guest: Guest, options: RawOptions = {}): Promise<RawClient> {
  const rogue = await openRaw(guest, options)
  await rogue.until(() => rogue.cookie !== null, 'the first poke')
  return rogue
}

/** The user, and the newest threads with their messages. */
export const queries = ['me', 'threads.recent'].map((name) => ({ hash: name, name, args: [] }))

export const sendArgs = (changes: Body = {}) => ({
  threadId: freshId('thread'),
  messageId: freshId('message'),
  answerId: freshId('answer'),
  parentId: null,
  modelId: 'kimi-k2',
  text: '/demo chunks=1 delay=0',
  at: 1,
  ...changes,
})
