// One page of a browser as the sync protocol sees it. It stores what it receives, pushes mutations until they are confirmed, and reconnects
// with its cookie. It decides nothing: the caller chooses when a frame is sent, arrives or is lost.
import type { Json } from '../../../worker/sync/engine/types.ts'
import { clientSchema } from '../../support/client-schema.ts'
import { type MemorySocket, otherEnd } from '../../support/node-object/memory-sockets.ts'
import { applyRowOp, type RowOp } from '../../support/row-ops.ts'

type Body = { readonly [key: string]: unknown }
type Result = { readonly id: { readonly clientID: string; readonly id: number }; readonly result: unknown }
type Frame = readonly [tag: string, body: Body]
export type TabRow = { readonly [column: string]: unknown }
export type TabQuery = { readonly hash: string; readonly name: string; readonly args: readonly Json[] }
export type Mutation = { readonly clientID: string; readonly id: number; readonly name: string; readonly args: unknown }

/** The browser's state on disk. A new page starts with it. */
export type Snapshot = {
  readonly cookie: string | null
  readonly rows: ReadonlyMap<string, TabRow>
  readonly got: ReadonlySet<string>
  readonly pending: readonly Mutation[]
}

const nothing: Snapshot = { cookie: null, rows: new Map(), got: new Set(), pending: [] }

/** The client's reaction to an error: it reconnects, or the error must not occur. */
const survivable = new Set(['ServerOverloaded', 'Unauthorized'])
/** The error when the database has less than the client has seen. The client then deletes its data. */
const endings = new Set(['ClientNotFound', 'InvalidConnectionRequestBaseCookie', 'InvalidConnectionRequestLastMutationID'])

export class Tab {
  readonly groupID: string
  readonly clientID: string
  readonly wanted = new Map<string, { readonly query: TabQuery; readonly ttl: number }>()
  cookie: string | null
  rows: Map<string, TabRow>
  pending: Mutation[]
  made = 0
  readonly desired = new Set<string>()
  readonly got: Set<string>
  lastMutationID = 0
  /** The object has the server's end of the socket; this is the client's. */
  socket: MemorySocket | null = null
  /** The connection that is being opened. */
  attempt: object | null = null
  isConnected = false
  hasLateInit = false
  unacknowledged = 0
  /** Results of this page's refused mutations, by id. */
  readonly results = new Map<number, unknown>()
  errors: string[] = []
  /** True if the database may be restored to an earlier state. */
  mayEnd = false
  /** The page deleted its data; another page starts empty. */
  isOver = false
  #parts: Body[] = []
  /** The queries in the header of the connection that is being opened. */
  #queriesInHeader: Tab['wanted'] = new Map()

  constructor(groupID: string, clientID: string, snapshot: Snapshot = nothing) {
    this.groupID = groupID
    this.clientID = clientID
    this.cookie = snapshot.cookie
    this.rows = new Map(snapshot.rows)
    this.got = new Set(snapshot.got)
    this.pending = [...snapshot.pending]
  }

  get snapshot(): Snapshot {
    return { cookie: this.cookie, rows: new Map(this.rows), got: new Set(this.got), pending: [...this.pending] }
  }

  /** Address and sub-protocol of its next connection. */
  connectRequest(
    userId: string,
    activeClients: readonly string[] | null,
    hasLateInit: boolean,
  ): { readonly url: URL; readonly subProtocol: string } {
    const url = new URL('http://sync.test/sync/v51/connect')
    const params = {
      clientID: this.clientID,
      clientGroupID: this.groupID,
      userID: userId,
      baseCookie: this.cookie ?? '',
      ts: '0.5',
      lmid: String(this.lastMutationID),
      wsid: 'w',
    }
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
    this.hasLateInit = hasLateInit
    this.#queriesInHeader = new Map(this.wanted)
    const sent = hasLateInit ? {} : { initConnectionMessage: ['initConnection', this.#init(activeClients)] }
    return { url, subProtocol: encodeURIComponent(btoa(JSON.stringify(sent))) }
  }

  opened(socket: MemorySocket): void {
    this.socket = socket
    this.isConnected = false
    this.#parts = []
  }

  closed(): void {
    this.socket = null
    this.isConnected = false
  }

  want(query: TabQuery, ttl: number): void {
    this.wanted.set(query.hash, { query, ttl })
    if (this.isConnected) this.#send(['changeDesiredQueries', { desiredQueriesPatch: [put(query, ttl)] }])
  }

  leave(hash: string): void {
    this.wanted.delete(hash)
    if (this.isConnected) this.#send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'del', hash }] }])
  }

  mutate(name: string, args: unknown): Mutation {
    const mutation = { clientID: this.clientID, id: ++this.made, name, args }
    this.pending.push(mutation)
    if (this.isConnected) this.pushAll([mutation])
    return mutation
  }

  /** One mutation per frame, like the real client. */
  pushAll(mutations: readonly Mutation[]): void {
    for (const { clientID, id, name, args } of mutations) {
      const mutation = { type: 'custom', id, clientID, name, args: [args], timestamp: 1 }
      this.#send(['push', { clientGroupID: this.groupID, mutations: [mutation], pushVersion: 1, requestID: 'r', timestamp: 1 }])
    }
  }

  acknowledge(): void {
    if (this.unacknowledged === 0 || !this.isConnected) return
    this.#send(['ackMutationResponses', { clientID: this.clientID, id: this.unacknowledged }])
    this.unacknowledged = 0
  }

  ask(frame: readonly [string, unknown]): void {
    if (this.isConnected) this.#send(frame)
  }

  /** Receives the oldest frame in flight. False without such a frame. */
  receive(): boolean {
    const text = this.socket && otherEnd(this.socket).sent.shift()
    if (text === undefined || text === null) return false
    const [tag, body] = JSON.parse(text) as Frame
    if (tag === 'connected') this.#connected()
    if (tag === 'error') this.onError(String(body.kind), text)
    if (tag === 'pokeStart' && body.baseCookie !== this.cookie)
      throw new Error(`a poke from ${String(body.baseCookie)} to a client at ${this.cookie}`)
    if (tag === 'pokePart') this.#parts.push(body)
    if (tag === 'pokeEnd') this.#poked(String(body.cookie))
    return true
  }

  #connected(): void {
    this.isConnected = true
    if (this.hasLateInit) this.#send(['initConnection', this.#init(null)])
    else this.#changeSinceHandshake()
    this.pushAll(this.pending)
  }

  #changeSinceHandshake(): void {
    const asked = this.#queriesInHeader
    const puts = [...this.wanted].flatMap(([hash, { query, ttl }]) => (asked.has(hash) ? [] : [put(query, ttl)]))
    const dels = [...asked.keys()].flatMap((hash) => (this.wanted.has(hash) ? [] : [{ op: 'del', hash }]))
    if (puts.length + dels.length > 0) this.#send(['changeDesiredQueries', { desiredQueriesPatch: [...puts, ...dels] }])
  }

  onError(kind: string, text: string): void {
    if (kind === 'MutationRateLimited') return
    if (this.mayEnd && endings.has(kind)) this.isOver = true
    else if (!survivable.has(kind)) throw new Error(`sent to ${this.clientID}: ${kind} ${text}`)
    this.errors.push(kind)
  }

  #init(activeClients: readonly string[] | null) {
    const puts = [...this.wanted.values()].filter(({ query }) => !this.desired.has(query.hash)).map(({ query, ttl }) => put(query, ttl))
    const dels = [...this.desired].filter((hash) => !this.wanted.has(hash)).map((hash) => ({ op: 'del', hash }))
    return {
      desiredQueriesPatch: [...puts, ...dels],
      ...(this.cookie === null ? { clientSchema: clientSchema() } : {}),
      ...(activeClients ? { activeClients } : {}),
    }
  }

  #send(frame: readonly [string, unknown]): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame))
  }

  /** Applied completely or not at all. */
  #poked(cookie: string): void {
    if (this.cookie !== null && cookie < this.cookie) throw new Error(`cookie ${cookie} after ${this.cookie}`)
    if (cookie === this.cookie && this.#parts.length > 0) throw new Error('a poke with content and without a new cookie')
    for (const part of this.#parts.splice(0)) this.#take(part)
    this.cookie = cookie
  }

  #take(part: Body): void {
    for (const op of (part.rowsPatch ?? []) as RowOp[]) {
      if (op.op === 'clear') for (const held of [this.got, this.desired]) held.clear()
      applyRowOp(this.rows, op)
    }
    for (const [clientID, id] of Object.entries((part.lastMutationIDChanges ?? {}) as { [clientID: string]: number })) {
      if (clientID === this.clientID) {
        if (id < this.lastMutationID || id > this.made) throw new Error(`confirmed ${id} of ${this.made} after ${this.lastMutationID}`)
        this.lastMutationID = id
      }
      this.pending = this.pending.filter((mutation) => mutation.clientID !== clientID || mutation.id > id)
    }
    for (const { op, hash } of (part.gotQueriesPatch ?? []) as { op: string; hash: string }[]) apply(this.got, op, hash)
    const patches = (part.desiredQueriesPatches ?? {}) as { [clientID: string]: { op: string; hash: string }[] }
    for (const { op, hash } of patches[this.clientID] ?? []) apply(this.desired, op, hash)
    for (const { op, mutation } of (part.mutationsPatch ?? []) as { op: string; mutation?: Result }[])
      if (op === 'put' && mutation?.id.clientID === this.clientID) {
        this.results.set(mutation.id.id, mutation.result)
        this.unacknowledged = Math.max(this.unacknowledged, mutation.id.id)
      }
  }
}

const put = (query: TabQuery, ttl: number) => ({ op: 'put', ttl, ...query })

function apply(held: Set<string>, op: string, hash: string): void {
  if (op === 'put') held.add(hash)
  else held.delete(hash)
}
