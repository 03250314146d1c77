// One user's object in Node, with a database that answers at once and turns that end at once, for tests that send many messages.
import { vi } from 'vitest'
import type { Env } from '../../../worker/bindings.ts'
import { totalUse } from '../../../worker/contract/models/model-use.ts'
import type { AnswerMessage } from '../../../worker/contract/threads/messages.ts'
import type { GenerationCalls, StartTurn } from '../../../worker/contract/threads/turn.ts'
import { endTurn } from '../../../worker/db/turn-endings.ts'
import { readOpenTurn } from '../../../worker/db/turns.ts'
import { forwardedRequest } from '../../../worker/sync/connect/upgrade.ts'
import { UserSync } from '../../../worker/user-sync/user-sync.ts'
import { clientSchema } from '../../support/client-schema.ts'
import { FakeKv } from '../../support/fake-kv.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { type MemoryObject, memoryObject } from '../../support/node-object/memory-object.ts'
import { installPlatform, type MemorySocket, otherEnd } from '../../support/node-object/memory-sockets.ts'
import { modelRequest } from '../../support/rows.ts'
import { unlimitedConnects } from '../../support/unlimited-connects.ts'
import { type Fault, type Held, isWrite } from './faults.ts'
import { addSession, addUser } from './truth.ts'

type Body = { readonly [key: string]: unknown }
type Received = readonly [tag: string, body: Body]

export type Line = {
  readonly client: MemorySocket
  readonly server: MemorySocket
  /** Messages received since the last call. */
  takeReceived(): readonly Received[]
}

export type LoneObjectOptions = {
  readonly kv?: KVNamespace
  /** Applied to the next batches that write, in order. */
  readonly faults?: (Fault | Held)[]
  /** Applied to the next batches that only read; null lets one succeed. */
  readonly readFaults?: (Fault | null)[]
  /** The mutation limit of the user; unlimited when absent. */
  readonly limit?: { readonly burst: number; readonly perSecond: number }
  /** Generations that run until they are stopped. */
  readonly patient?: ReadonlySet<string>
  /** Called with every start command. */
  readonly onStart?: (command: StartTurn) => void
}

/** Chosen: finer than any timeout of the object. */
const stepMs = 100

const noLimit = { burst: 100_000_000, perSecond: 100_000_000 }

const onItsWay = <T>({ hold }: Held, run: () => T): Promise<T> =>
  new Promise((resolve, reject) =>
    hold(() => {
      try {
        resolve(run())
      } catch (error) {
        reject(error)
        throw error
      }
    }),
  )

export class LoneObject {
  readonly userId: string
  readonly object: MemoryObject<UserSync>
  readonly #d1: MemoryD1
  readonly #endings = new Set<Promise<unknown>>()

  constructor(d1: MemoryD1, userId: string, options: LoneObjectOptions = {}) {
    const { kv = new FakeKv().namespace, faults = [], readFaults = [], patient = new Set(), limit = noLimit, onStart } = options
    installPlatform()
    addUser(d1, userId)
    addSession(d1, userId, `${userId}-session`)
    this.#d1 = d1
    this.userId = userId
    const ends = async (id: string) => void this.#endings.add(this.#end(id))
    const start = async (command: StartTurn) => {
      onStart?.(command)
      if (!patient.has(command.generationId)) await ends(command.generationId)
    }
    const generation: GenerationCalls = { start, stop: ends, recover: ends }
    const env = {
      DB: d1.binding(async (texts, run) => {
        const fault = (texts.some(isWrite) ? faults : readFaults).shift()
        if (fault?.when === 'held') return onItsWay(fault, run)
        const results = fault?.when === 'before' ? [] : run()
        if (fault?.when === 'silent') return new Promise<never>(() => undefined)
        if (fault) throw new Error(fault.message)
        return results
      }),
      FIRST_PAGES: kv,
      GENERATION: { newUniqueId: () => 'object', idFromString: (id: string) => id, get: () => generation },
      USER_SYNC: {},
      FILES: {},
      ASSETS: {},
      ENVIRONMENT: 'development',
      MUTATION_BURST: String(limit.burst),
      MUTATIONS_PER_SECOND: String(limit.perSecond),
    } as unknown as Env
    this.object = memoryObject((ctx) => new UserSync(ctx, env, unlimitedConnects))
  }

  /** `changes` replaces parts of what a client would send. */
  async connect(changes: { readonly params?: Body; readonly sent?: unknown } = {}): Promise<Line | Response> {
    const params: Body = { clientID: 'c', clientGroupID: 'g', baseCookie: '', lmid: '0', wsid: 'w', ...changes.params }
    const url = new URL('http://sync.test/sync/v51/connect')
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, String(value))
    const init = { desiredQueriesPatch: [{ op: 'put', hash: 'me', name: 'me', args: [], ttl: 0 }], clientSchema: clientSchema() }
    const sent = changes.sent ?? { initConnectionMessage: ['initConnection', init] }
    const bytes = new TextEncoder().encode(JSON.stringify(sent))
    const protocol = encodeURIComponent(btoa(String.fromCharCode(...bytes)))
    const response = await this.requestUpgrade(url, protocol)
    if (response.status !== 101) return response
    const client = response.webSocket as unknown as MemorySocket
    const server = otherEnd(client)
    return { client, server, takeReceived: () => server.sent.splice(0).map((text) => JSON.parse(text) as Received) }
  }

  /** For a connect that must succeed. */
  async mustConnect(changes: Parameters<LoneObject['connect']>[0] = {}): Promise<Line> {
    const line = await this.connect(changes)
    if (line instanceof Response) throw new Error(`the handshake responded with ${line.status}`)
    return line
  }

  /** With the given address and sub-protocol. */
  async requestUpgrade(url: URL, subProtocol: string): Promise<Response> {
    const { userId } = this
    const request = new Request(url, { headers: { 'sec-websocket-protocol': subProtocol } })
    const forwarded = forwardedRequest(request, { userId, sessionId: `${userId}-session`, expiresAtMs: Number.MAX_SAFE_INTEGER })
    const response = await this.object.awake().fetch(forwarded)
    await this.settled()
    return response
  }

  say({ server }: Pick<Line, 'server'>, frame: string | ArrayBuffer): Promise<void> {
    return this.object.awake().webSocketMessage(server as unknown as WebSocket, frame)
  }

  /** The client receives the close and closes its side. */
  async close({ server }: Pick<Line, 'server'>): Promise<void> {
    await this.object.awake().webSocketClose(server as unknown as WebSocket, server.closedBy?.code ?? 1000)
    server.readyState = WebSocket.CLOSED
    this.object.sweep()
  }

  async settled(): Promise<void> {
    await this.object.settled()
    while (this.#endings.size > 0) {
      const all = [...this.#endings]
      this.#endings.clear()
      await Promise.all(all)
      await this.object.settled()
    }
  }

  /** Time passes, and timers of the object run. */
  async pass(ms: number): Promise<void> {
    const untilMs = Date.now() + ms
    for (let nowMs = Date.now(); nowMs < untilMs; nowMs += stepMs) {
      await new Promise((resolve) => setImmediate(resolve))
      vi.setSystemTime(Math.min(nowMs + stepMs, untilMs))
      this.object.runTimers(Date.now())
    }
    await new Promise((resolve) => setImmediate(resolve))
  }

  async #end(id: string): Promise<void> {
    const env = { DB: this.#d1.binding() }
    const turn = await readOpenTurn(env, this.userId, id)
    if (!turn) return
    const requests = [modelRequest()]
    const use = totalUse(requests)
    const metadata = {
      modelId: turn.model.id,
      modelName: turn.model.name,
      modelIcon: turn.model.icon,
      ending: 'completed',
      credits: turn.model.credits,
      ...(use && { use }),
    } as const
    const answer: AnswerMessage = { id, role: 'assistant', parts: [{ type: 'text', text: 'answer' }], metadata }
    const { userId, threadId, parentId } = turn
    const endedAtMs = Date.now()
    await endTurn(env, {
      generationId: id,
      userId,
      threadId,
      parentId,
      answer,
      charged: true,
      credits: turn.model.credits,
      keepsSearch: false,
      keepsResearch: false,
      title: null,
      requests,
      endedAtMs,
    })
    await this.object.awake().notify()
  }
}
