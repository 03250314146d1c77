// A client of the sync protocol inside workerd, without an engine: it sends given frames and records received ones.
import { env as untypedEnv } from 'cloudflare:workers'
import type { Env } from '../../worker/bindings.ts'
import type { RefusalCode } from '../../worker/contract/errors.ts'
import { clientSchema } from '../support/client-schema.ts'
import { sendWindowQueries } from '../support/message-windows.ts'
import { applyRowOp, type RowOp } from '../support/row-ops.ts'
import { databaseOf, worker } from './bindings.ts'
import type { WatchedUserSync } from './watched-user-sync.ts'

export const env = untypedEnv as unknown as Omit<Env, 'USER_SYNC'> & { readonly USER_SYNC: DurableObjectNamespace<WatchedUserSync> }
export const origin = 'http://localhost'

export type Body = { readonly [key: string]: unknown }
export type Frame = readonly [tag: string, body: Body]
export type SyncUser = { readonly userId: string; readonly token: string }
type Row = { readonly [column: string]: unknown }

let made = 0
export const freshId = (kind: string): string => `${kind}-${++made}-of-this-file`

/** A guest, signed in through the Worker. */
export async function newUser(): Promise<SyncUser> {
  const headers = { origin, 'content-type': 'application/json' }
  const signedIn = await worker.fetch(`${origin}/api/auth/sign-in/anonymous`, { method: 'POST', headers, body: '{}' })
  const { user } = (await signedIn.json()) as { user: { id: string } }
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const answer = await worker.fetch(`${origin}/api/auth/token`, { headers: { ...headers, cookie } })
  const { token } = (await answer.json()) as { token: string }
  return { userId: user.id, token }
}

/** Gives the user PRO. */
export async function subscribe({ userId }: SyncUser): Promise<void> {
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: Date.now() + 60_000_000, cancelAtPeriodEnd: false }
  await databaseOf('userCustomer')
    .prepare('insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2)')
    .bind(userId, JSON.stringify(subscription))
    .run()
}

export type WireQuery = { readonly hash: string; readonly name?: string; readonly args?: readonly unknown[]; readonly ttl?: number }
export const me: WireQuery = { hash: 'me', name: 'me', args: [] }
export const threadList: WireQuery = { hash: 'list', name: 'threads.list', args: [{ limit: 50 }] }
export const models: WireQuery = { hash: 'models', name: 'models.all', args: [] }
export const recentThreads: WireQuery = { hash: 'recent', name: 'threads.recent', args: [] }
export const nickname = (value: string) => ({ name: 'settings.update', args: { nickname: value } })
export const appError = (code: RefusalCode) => ({ error: 'app', message: code, details: { code } })
export const putQuery = (query: WireQuery) => ({ op: 'put', ttl: 300_000, ...query })

export type WireOptions = {
  readonly params?: { readonly [name: string]: string }
  readonly queries?: readonly WireQuery[]
  /** Replaces the whole init message; null sends none. */
  readonly init?: Body | null
  readonly token?: string | null
  readonly headers?: { readonly [name: string]: string }
  readonly path?: string
}

/** Only ends hanging tests. 40 paced forks on a busy machine take more than half a minute. */
const hangsAfterMs = 120_000

export class Wire {
  readonly user: SyncUser
  readonly groupID: string
  readonly clientID: string
  readonly socket: WebSocket
  readonly response: Response
  readonly frames: Frame[] = []
  protocolError: string | null = null
  closed: { readonly code: number; readonly reason: string } | null = null
  cookie: string | null
  /** The rows by table and id, and the keys of the queries, from all pokes. */
  readonly rows = new Map<string, Row>()
  readonly got = new Set<string>()
  readonly desired = new Set<string>()
  readonly results = new Map<string, unknown>()
  readonly lastMutationIDs = new Map<string, number>()
  /** Hashes of the windows of messages; null for a client without `recentThreads`. */
  windows: Set<string> | null = null
  rowOps = 0
  readonly #parts: Body[] = []
  #nextMutationID = 1
  readonly #waiting = new Set<() => void>()

  constructor(user: SyncUser, groupID: string, clientID: string, cookie: string | null, response: Response, socket: WebSocket) {
    this.user = user
    this.groupID = groupID
    this.clientID = clientID
    this.cookie = cookie
    this.response = response
    this.socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Frame))
    socket.addEventListener('close', ({ code, reason }) => {
      this.closed = { code, reason }
      this.#wake()
    })
    socket.accept()
  }

  send(frame: readonly [string, unknown] | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  /** Sends mutations in one frame and returns the last id. Ids continue unless they are given. */
  push(mutations: readonly { readonly name: string; readonly args?: unknown; readonly id?: number; readonly clientID?: string }[]): number {
    let last = 0
    const sent = mutations.map(({ name, args = null, id, clientID = this.clientID }) => {
      last = id ?? this.#nextMutationID++
      return { type: 'custom', id: last, clientID, name, args: [args], timestamp: 1 }
    })
    this.send(['push', { clientGroupID: this.groupID, mutations: sent, pushVersion: 1, requestID: 'r', timestamp: 1 }])
    return last
  }

  mutate(name: string, args?: unknown): number {
    return this.push([{ name, args }])
  }

  async confirmed(id: number, clientID = this.clientID): Promise<void> {
    await this.until(() => (this.lastMutationIDs.get(clientID) ?? 0) >= id, `mutation ${id} confirmed`)
  }

  /** Runs a mutation. Resolves with the code of its refusal, or with undefined when it is applied. */
  async refusalOf(name: string, args: object): Promise<string | undefined> {
    const id = this.mutate(name, args)
    await this.confirmed(id)
    return (this.results.get(`${this.clientID}/${id}`) as { details: { code: string } } | undefined)?.details.code
  }

  row(table: string, id: string): Row | undefined {
    return this.rows.get(`${table}/${id}`)
  }

  rowsOf(table: string): Row[] {
    return [...this.rows].flatMap(([key, row]) => (key.startsWith(`${table}/`) ? [row] : []))
  }

  /** Resolves with a received or future frame with this tag. */
  async receives(tag: string): Promise<Body> {
    await this.until(() => this.frames.some(([received]) => received === tag), tag)
    return this.frames.find(([received]) => received === tag)?.[1] ?? {}
  }

  /** Resolves when everything that the object sent before has arrived: the ping is processed in order. */
  async settled(): Promise<void> {
    const before = this.frames.filter(([tag]) => tag === 'pong').length
    // The space prevents the platform's automatic reply, so the object replies.
    this.send('["ping", {}]')
    await this.until(() => this.frames.filter(([tag]) => tag === 'pong').length > before, 'pong')
  }

  async until(holds: () => boolean, what: string): Promise<void> {
    const giveUpAt = Date.now() + hangsAfterMs
    while (!holds()) {
      if (this.protocolError) throw new Error(this.protocolError)
      if (this.closed)
        throw new Error(
          `closed (${this.closed.code} ${this.closed.reason}) before: ${what}; received ${JSON.stringify(this.frames.slice(-3))}`,
        )
      if (Date.now() > giveUpAt) throw new Error(`not in time: ${what}; received ${JSON.stringify(this.frames.slice(-3)).slice(0, 500)}`)
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          this.#waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, 500)
        this.#waiting.add(wake)
      })
    }
  }

  async untilClosed(): Promise<{ readonly code: number; readonly reason: string }> {
    const giveUpAt = Date.now() + hangsAfterMs
    while (!this.closed) {
      if (Date.now() > giveUpAt) throw new Error('not closed in time')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return this.closed
  }

  async close(): Promise<void> {
    if (this.protocolError) throw new Error(this.protocolError)
    this.socket.close(1000, 'done')
    await this.untilClosed()
  }

  /** Reconnects the client: same group and client, its cookie, its rows. */
  async reconnect(options: WireOptions = {}): Promise<Wire> {
    const lmid = String(this.lastMutationIDs.get(this.clientID) ?? 0)
    const params = { clientGroupID: this.groupID, clientID: this.clientID, baseCookie: this.cookie ?? '', lmid, ...options.params }
    const wire = await connectWire(this.user, { init: { desiredQueriesPatch: [] }, ...options, params })
    wire.#copyStateOf(this)
    return wire
  }

  /** A reconnecting page keeps its rows. Only later frames count as received. */
  #copyStateOf(before: Wire): void {
    this.#nextMutationID = before.#nextMutationID
    this.windows = before.windows
    for (const [key, row] of before.rows) this.rows.set(key, row)
    for (const hash of before.got) this.got.add(hash)
    for (const hash of before.desired) this.desired.add(hash)
    for (const [key, result] of before.results) this.results.set(key, result)
    for (const [clientID, id] of before.lastMutationIDs) this.lastMutationIDs.set(clientID, id)
  }

  #receive(frame: Frame): void {
    this.frames.push(frame)
    const [tag, body] = frame
    // The real client treats a poke with another base cookie as a broken connection.
    if (tag === 'pokeStart' && body.baseCookie !== this.cookie)
      this.protocolError = `a poke from ${body.baseCookie} to a client at ${this.cookie}`
    if (tag === 'pokePart') this.#parts.push(body)
    if (tag === 'pokeEnd') {
      // Atomic, like the real client.
      for (const part of this.#parts.splice(0)) this.#applyPart(part)
      this.cookie = String(body.cookie)
      const threadIds = this.rowsOf('thread').map(({ id }) => String(id))
      if (this.windows) sendWindowQueries(threadIds, this.windows, (frame) => this.send(frame))
    }
    this.#wake()
  }

  #applyPart(part: Body): void {
    for (const op of (part.rowsPatch ?? []) as RowOp[]) {
      this.rowOps++
      if (op.op === 'clear') for (const held of [this.got, this.desired, this.results]) held.clear()
      applyRowOp(this.rows, op)
    }
    for (const [clientID, id] of Object.entries((part.lastMutationIDChanges ?? {}) as { [clientID: string]: number }))
      this.lastMutationIDs.set(clientID, id)
    for (const { op, hash } of (part.gotQueriesPatch ?? []) as { op: string; hash: string }[]) {
      if (op === 'put') this.got.add(hash)
      else this.got.delete(hash)
    }
    const patches = (part.desiredQueriesPatches ?? {}) as { [clientID: string]: { op: string; hash: string }[] }
    for (const { op, hash } of patches[this.clientID] ?? []) {
      if (op === 'put') this.desired.add(hash)
      else this.desired.delete(hash)
    }
    for (const op of (part.mutationsPatch ?? []) as { op: string; mutation?: { id: Body; result: unknown }; id?: Body }[]) {
      if (op.mutation) this.results.set(`${op.mutation.id.clientID}/${op.mutation.id.id}`, op.mutation.result)
      else this.results.delete(`${op.id?.clientID}/${op.id?.id}`)
    }
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}

/** Opens a socket through the Worker. A refused one is also a socket, which receives `error` instead of `connected`. */
export async function connectWire(user: SyncUser, options: WireOptions = {}): Promise<Wire> {
  const params: { [name: string]: string } = {
    clientID: freshId('client'),
    clientGroupID: freshId('group'),
    userID: user.userId,
    baseCookie: '',
    ts: '0.1',
    lmid: '0',
    wsid: 'socket',
    ...options.params,
  }
  const url = new URL(`${origin}${options.path ?? '/sync/v51/connect'}`)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  const { token = user.token, queries = [] } = options
  const init = options.init === undefined ? { desiredQueriesPatch: queries.map(putQuery), clientSchema: clientSchema() } : options.init
  const sent = {
    ...(init === null ? {} : { initConnectionMessage: ['initConnection', init] }),
    ...(token === null ? {} : { authToken: token }),
  }
  const protocol = encodeURIComponent(btoa(JSON.stringify(sent)))
  const response = await worker.fetch(url, { headers: { upgrade: 'websocket', 'sec-websocket-protocol': protocol, ...options.headers } })
  if (!response.webSocket) throw new Error(`no socket, status ${response.status}`)
  const { clientGroupID = '', clientID = '', baseCookie = '' } = params
  const wire = new Wire(user, clientGroupID, clientID, baseCookie || null, response, response.webSocket)
  if (queries.includes(recentThreads)) wire.windows = new Set()
  return wire
}

/** Connects and waits for the first poke, and for the windows of messages. */
export async function connected(user: SyncUser, options: WireOptions = {}): Promise<Wire> {
  const wire = await connectWire(user, options)
  await wire.receives('pokeEnd')
  await wire.until(() => [...(wire.windows ?? [])].every((hash) => wire.got.has(hash)), 'the windows of messages')
  return wire
}

export const turnArgs = (text = '/demo chunks=1 delay=0', threadId = freshId('thread')) => ({
  threadId,
  messageId: freshId('message'),
  answerId: freshId('answer'),
  parentId: null,
  modelId: 'kimi-k2',
  text,
  at: 1,
})
