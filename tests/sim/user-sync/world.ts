// A world of users, browsers, networks and one database. Every frame, answer of D1, alarm and failure is an event that the seed chooses.
// Time is a number. Requests in flight when an object dies are never answered.
import { vi } from 'vitest'
import type { Env } from '../../../worker/bindings.ts'
import { mustSettings } from '../../../worker/settings.ts'
import { forwardedRequest } from '../../../worker/sync/connect/upgrade.ts'
import { answerMs } from '../../../worker/user-sync/d1-source.ts'
import { UserSync } from '../../../worker/user-sync/user-sync.ts'
import { d1Errors } from '../../support/d1-errors.ts'
import { FakeKv } from '../../support/fake-kv.ts'
import type { Life } from '../../support/node-object/life-timers.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { type MemoryObject, memoryObject } from '../../support/node-object/memory-object.ts'
import { installPlatform, type MemorySocket, otherEnd } from '../../support/node-object/memory-sockets.ts'
import { StorageFault } from '../../support/node-object/memory-storage.ts'
import type { Rng } from '../../support/rng.ts'
import { unlimitedConnects } from '../../support/unlimited-connects.ts'
import type { Fault } from './faults.ts'
import { generationsOf } from './generations.ts'
import type { Question } from './questions.ts'
import type { Tab, TabQuery } from './tab.ts'
import { addMessages, addSession, addUser, newRecord } from './truth.ts'

export type SimUser = {
  readonly userId: string
  object: MemoryObject<UserSync>
  readonly tabs: Tab[]
  readonly questions: Question[]
  sessionId: string
  /** The bucket that the check of the mutation limit replays. */
  pace: { readonly tokens: number; readonly atMs: number; readonly seen: number }
  /** Closed sockets that the object has not been notified of yet. */
  readonly closeEvents: { readonly socket: MemorySocket; readonly code: number }[]
}

const tokenLastsMs = 15 * 60_000
const slowLimit = { burst: 4, perSecond: 2 } as const
const noLimit = { burst: 100_000, perSecond: 100_000 }

/** Variations of a world. */
export type WorldOptions = {
  /** The object class; another one when a test planted a bug in it. */
  readonly UserSync?: typeof UserSync
  /** Messages that exist at the start: more than one page of an import. */
  readonly messages?: number
  /** The database is restored to a backup now and then. */
  readonly isRestored?: boolean
  /** Users write faster than the limit, and their objects are evicted meanwhile. */
  readonly isBusy?: boolean
  /** Statements of an object's own storage fail. */
  readonly isSpoiled?: boolean
  /** D1 does not answer within the timeout. Its requests arrive at any time, in any order, or never. */
  readonly isSilent?: boolean
  /** Users join and leave an organization often; it gets teams and is deleted. */
  readonly hasOrganizations?: boolean
}

export class World {
  readonly rng: Rng
  readonly d1: MemoryD1 = newRecord()
  readonly kv = new FakeKv()
  readonly users: SimUser[] = []
  /** Generations that were started and have not ended, with their users. */
  readonly generations = new Map<string, { readonly userId: string; isStopped: boolean }>()
  /** Commands that were sent to another object than that of the turn. */
  readonly misdirected: string[] = []
  readonly options: WorldOptions
  readonly limit: { readonly burst: number; readonly perSecond: number }
  #backup: Uint8Array | null = null
  /** No more faults from here on. */
  isHealed = false
  nowMs = 1_800_000_000_000
  made = 0

  constructor(rng: Rng, users: number, options: WorldOptions = {}) {
    installPlatform()
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(this.nowMs)
    this.rng = rng
    this.options = options
    this.limit = rng.chance(options.isBusy ? 1 : 0.3) ? slowLimit : noLimit
    for (let i = 0; i < users; i++) this.#addUser(`user-${i}`)
    addMessages(this.d1, 'user-0', options.messages ?? 0)
  }

  fresh(kind: string): string {
    this.made += 1
    return `${kind}-${this.made}`
  }

  pass(ms: number): void {
    this.nowMs += ms
    vi.setSystemTime(this.nowMs)
  }

  /** A page opens its socket. Later events decide what happens to it. */
  connect(user: SimUser, tab: Tab): void {
    const { rng } = this
    const active = rng.chance(0.3) ? user.tabs.filter(({ groupID }) => groupID === tab.groupID).map(({ clientID }) => clientID) : null
    const { url, subProtocol } = tab.connectRequest(user.userId, active, rng.chance(0.2))
    const request = new Request(url, { headers: { 'sec-websocket-protocol': subProtocol } })
    const { userId, sessionId } = user
    const forwarded = forwardedRequest(request, { userId, sessionId, expiresAtMs: this.nowMs + tokenLastsMs })
    const attempt = { isOver: false }
    tab.attempt = attempt
    void user.object
      .awake()
      .fetch(forwarded)
      .then((response) => {
        const socket = response.webSocket as unknown as MemorySocket
        if (tab.attempt === attempt) tab.opened(socket)
        else socket.close(1000)
      })
      .catch((error: unknown) => {
        if (tab.attempt === attempt) tab.attempt = null
        this.#survive(error)
      })
  }

  /** The oldest frame that this page has sent arrives at its object. */
  deliver(user: SimUser, tab: Tab): void {
    const { socket } = tab
    const frame = socket?.sent.shift()
    if (!socket || frame === undefined) return
    const server = otherEnd(socket)
    if (server.readyState === WebSocket.OPEN) this.#run(() => user.object.awake().webSocketMessage(server as unknown as WebSocket, frame))
  }

  /** Like the platform with an exception of an object: the caller receives it, and the object continues. */
  #run(call: () => Promise<unknown>): void {
    void (async () => call())().catch((error: unknown) => this.#survive(error))
  }

  #survive(error: unknown): void {
    if (!(error instanceof StorageFault)) throw error
  }

  /** One of the next statements of an awake object fails. In a wake the platform would end the object with its sockets. */
  spoil(user: SimUser): void {
    if (!this.isHealed && user.object.isAwake) user.object.storage.failsAfter = this.rng.below(40)
  }

  /** The connection is lost for the page. The object is notified later and never receives the frames in flight. */
  cut(user: SimUser, tab: Tab, code: number): void {
    const { socket } = tab
    tab.attempt = null
    tab.closed()
    if (socket) user.closeEvents.push({ socket: otherEnd(socket), code })
  }

  deliverClose(user: SimUser): void {
    const closeEvent = user.closeEvents.shift()
    if (!closeEvent || !user.object.sockets.includes(closeEvent.socket)) return
    const { socket, code } = closeEvent
    if (socket.readyState === WebSocket.OPEN) socket.readyState = WebSocket.CLOSING
    const ended = () => {
      socket.readyState = WebSocket.CLOSED
      user.object.sweep()
    }
    this.#run(() =>
      user.object
        .awake()
        .webSocketClose(socket as unknown as WebSocket, code)
        .finally(ended),
    )
  }

  fireAlarm(user: SimUser): void {
    const { storage } = user.object
    storage.alarmAtMs = null
    // An alarm that throws fires again, unless another one was set meanwhile.
    const again = (error: unknown) => {
      storage.alarmAtMs ??= this.nowMs
      throw error
    }
    this.#run(() => user.object.awake().alarm().catch(again))
  }

  repeatAlarm(user: SimUser): void {
    this.#run(() => user.object.awake().alarm())
  }

  notify(userId: string): void {
    const user = this.users.find((other) => other.userId === userId)
    if (user) this.#run(() => user.object.awake().notify())
  }

  /** Runs the timeouts of all objects. */
  outwait(): void {
    this.pass(answerMs)
    for (const { object } of this.users) object.runTimers(this.nowMs)
  }

  die(user: SimUser): void {
    user.object.die()
    if (!this.options.isSilent) user.questions.length = 0
    for (const tab of user.tabs) {
      tab.attempt = null
      tab.closed()
    }
    user.closeEvents.length = 0
  }

  /** Its storage is lost too; only the database remains. */
  wipe(user: SimUser): void {
    this.die(user)
    user.pace = { ...user.pace, tokens: this.limit.burst }
    user.object = this.#objectOf(user)
  }

  endSessions(user: SimUser, sessionId: string): void {
    this.#run(() => user.object.awake().endSessions([sessionId]))
  }

  backUp(): void {
    this.#backup = this.d1.image()
  }

  get hasBackup(): boolean {
    return this.#backup !== null
  }

  /** The database is the backup. Sessions since then are restored, so that the restore is detected only by its data. */
  restore(): void {
    if (!this.#backup) return
    this.d1.restore(this.#backup)
    for (const user of this.users) {
      const known = this.d1.all('select 1 from session where id = ?', user.sessionId)
      if (known.length === 0) addSession(this.d1, user.userId, user.sessionId)
    }
  }

  /** Runs everything that waits for no event. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  addTab(user: SimUser, tab: Tab, queries: readonly TabQuery[]): void {
    user.tabs.push(tab)
    for (const query of queries) tab.want(query, this.rng.pick([0, 60_000, 600_000]))
  }

  newSession(user: SimUser): void {
    user.sessionId = this.fresh('session')
    addSession(this.d1, user.userId, user.sessionId)
  }

  #addUser(userId: string): void {
    addUser(this.d1, userId)
    const pace = { tokens: this.limit.burst, atMs: this.nowMs, seen: 0 }
    const user = { userId, tabs: [], questions: [], sessionId: '', pace, closeEvents: [] }
    const complete: SimUser = Object.assign(user, { object: this.#objectOf(user) })
    this.newSession(complete)
    this.users.push(complete)
  }

  #objectOf(user: Pick<SimUser, 'questions'>): MemoryObject<UserSync> {
    return memoryObject((ctx, life) => {
      const env = this.#envFor(user, life)
      mustSettings(env)
      return new (this.options.UserSync ?? UserSync)(ctx, env, unlimitedConnects)
    })
  }

  #envFor({ questions }: Pick<SimUser, 'questions'>, life: Life): Env {
    const DB = this.d1.binding((texts, run) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly D1Result[]>()
      const answer = (fault: Fault | null) => {
        try {
          const results = fault?.when === 'before' ? [] : run()
          if (fault) throw new Error(fault.message)
          if (!life.isOver) resolve(results)
        } catch (error) {
          if (!life.isOver) reject(error)
        }
      }
      questions.push({ life, texts, answer })
      return promise
    })
    const bindings = {
      DB,
      GENERATION: generationsOf(this, life),
      FIRST_PAGES: this.kv.namespace,
      USER_SYNC: {},
      FILES: {},
      ASSETS: {},
      ENVIRONMENT: 'development',
      MUTATION_BURST: String(this.limit.burst),
      MUTATIONS_PER_SECOND: String(this.limit.perSecond),
    }
    return bindings as unknown as Env
  }

  fault(): Fault | null {
    if (this.isHealed || !this.rng.chance(0.12)) return null
    return { when: this.rng.pick(['before', 'after']), message: this.rng.pick(d1Errors) }
  }
}
