/**
 * Creates the class of a Durable Object that serves the Zero sync protocol to all browsers of one user (rules: SPEC.md). The object receives
 * platform events, runs each under its lock and delegates to the handlers. In-memory state is a cache of storage, so hibernation and eviction
 * are safe.
 *
 * A mutation passes seven steps: receive and decode (`object/receive-frame.ts`), apply the mutators (`push/apply-mutators.ts`), commit to the
 * source and apply its feed (`pull/pull.ts`), notify the features (`object/commit.ts`), send pokes (`poke/poke.ts`).
 */
import { DurableObject } from 'cloudflare:workers'
import { assert } from '../lib/assert.ts'
import { logger } from '../lib/logger.ts'
import { Pace } from '../lib/pace.ts'
import { endExpired, endSessions } from './connect/auth.ts'
import { connect } from './connect/connect.ts'
import { ConnectLimits } from './connect/connect-limits.ts'
import { handleMessage, type OtherMessage } from './connect/messages.ts'
import { expireDue, leaveGroup } from './connect/queries.ts'
import { readUpgrade, type Upgrade } from './connect/upgrade.ts'
import type { Authenticate, EndedSessions, Feature, MutationBudget, RunMutator, SyncApp, SyncLimits } from './object/app.ts'
import { pullNotified } from './object/commit.ts'
import { UserContext } from './object/context.ts'
import { continueImport, mayImport } from './object/import.ts'
import { FrameLimit, receiveFrame } from './object/receive-frame.ts'
import { coalesce, type Served, TaskQueue } from './object/task-queue.ts'
import type { Push } from './protocol/up.ts'
import type { Source } from './pull/source.ts'
import { closeLimitedConnections } from './push/limit-mutations.ts'
import { type PushedMutation, pushedMutations } from './push/pending.ts'
import { servePush } from './push/serve-push.ts'
import { dueNames } from './state/alarms.ts'
import type { Connection } from './state/connections.ts'

type UserSyncOptions<Env, S extends Source> = Omit<SyncApp, 'authenticate' | 'limits' | 'budget' | 'runMutator'> & {
  readonly authenticate: (env: Env, token: string | undefined) => ReturnType<Authenticate>
  readonly limits: (env: Env) => SyncLimits
  readonly budget?: (env: Env) => MutationBudget
  readonly runMutator?: (env: Env) => RunMutator
  readonly source: (env: Env, userId: string) => S
  readonly features?: (context: UserContext, source: S, env: Env) => readonly Feature[]
  /** Called after every step, such as `push` or `notify`. */
  readonly onStep?: (env: Env, step: SyncStep, waitUntil: (work: Promise<unknown>) => void) => void
}

type SyncStep = {
  readonly name: string
  readonly begunMs: number
  readonly endedMs: number
  readonly isFailed: boolean
  /** The mutations in a push; 0 for other steps. */
  readonly mutations: number
}

export function createUserSync<Env, S extends Source>(options: UserSyncOptions<Env, S>) {
  return class UserSync extends DurableObject<Env> {
    /** Null until the first connection or notification supplies the user id. */
    #context: UserContext | null = null
    readonly #app: SyncApp
    readonly #isPaced = ({ mutation }: PushedMutation): boolean => options.isPaced?.(mutation.name) ?? false
    readonly #queue = new TaskQueue<PushedMutation>((pushed) => this.#applyPush(pushed), this.#isPaced)
    readonly #writes = new Pace()
    readonly #pages = new Pace()
    readonly #frames: FrameLimit
    readonly #connects: ConnectLimits
    /** Coalesced: one pull (or import page) in flight, one pending. */
    readonly #notify = coalesce((task) => this.#queue.run(task))
    readonly #import = coalesce(async (task) => {
      await this.#pages.pause
      return this.#queue.run(() => this.#pages.part('own', task))
    })

    constructor(ctx: DurableObjectState, env: Env, limits: Partial<SyncLimits> = {}) {
      super(ctx, env)
      const authenticate: Authenticate = (token) => options.authenticate(env, token)
      const { budget, runMutator, ...app } = options
      this.#app = {
        ...app,
        authenticate,
        limits: { ...options.limits(env), ...limits },
        ...(budget && { budget: budget(env) }),
        ...(runMutator && { runMutator: runMutator(env) }),
      }
      this.#connects = new ConnectLimits(ctx.storage.kv, this.#app.limits)
      this.#frames = new FrameLimit(this.#app.limits.mutations)
      ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('["ping",{}]', '["pong",{}]'))
    }

    override async fetch(request: Request): Promise<Response> {
      const upgrade = readUpgrade(request)
      if (!upgrade) return new Response('Bad request', { status: 400 })
      return this.#connects.run(upgrade, this.#queue, () => this.#connect(upgrade))
    }

    async #connect(upgrade: Upgrade): Promise<Response> {
      const context = this.#contextOf(upgrade.userId)
      const response = await connect(context, upgrade, this.#connects)
      this.#continueImport(context)
      // The token stays valid for minutes after the user is deleted, so this connect recreated storage; delete it again.
      if (context.isOrphaned) await this.#deleteStorage()
      return response
    }

    override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
      const connection = this.#connectionOf(socket)
      if (!connection) return socket.close(1000, 'unknown connection')
      // The client resends unacknowledged frames after it reconnects.
      if (socket.readyState !== WebSocket.OPEN) return
      const isAllowed = this.#frames.allows(socket, Date.now())
      const { maxFrameBytes } = this.#app.limits
      const message = receiveFrame(frame, connection, { isAllowed, isFull: this.#queue.isFull, maxFrameBytes })
      if (message === 'too-large') return socket.close(1009, 'message too large')
      if ('kind' in message) return this.#context?.connections.fail(connection, message)
      if (message[0] === 'push') return this.#push(connection, message[1], String(frame).length)
      return this.#queue.run(() => this.#handle(socket, message), String(frame).length)
    }

    override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
      // 1005 and 1006 mean that no code came; they cannot be sent.
      await this.#closed(socket, code === 1005 || code === 1006 ? 1000 : code)
    }

    override async webSocketError(socket: WebSocket): Promise<void> {
      await this.#closed(socket, 1011)
    }

    /**
     * Pulls the feed after a write by another writer. Waits for a connect in flight (F5). Without `userId` the call does nothing while no
     * connection exists and no feature needs notifications; with `userId` it always pulls.
     */
    async notify(userId?: string): Promise<void> {
      const isUnneeded = ({ ignoresNotifications }: UserContext) => userId === undefined && ignoresNotifications
      const before = this.#loadContext(userId)
      if (!before || (isUnneeded(before) && this.#connects.inFlight === 0)) return
      await this.#notify(async () => {
        // The connect may have been refused, or may have deleted the storage.
        const context = this.#loadContext(userId)
        if (!context || isUnneeded(context)) return
        await this.#guarded(context, 'notify', () => pullNotified(context))
        if (context.isOrphaned) await this.#deleteStorage()
      })
    }

    /** Closes the sockets of ended sessions, at once and again after a connect in flight. `all` ends the user and deletes the storage. */
    async endSessions(ended: EndedSessions): Promise<void> {
      const before = this.#loadContext()
      if (!before && this.#connects.inFlight === 0) return
      if (before) endSessions(before, ended)
      const finished = this.#queue.run(async () => {
        const context = this.#loadContext()
        if (!context) return
        endSessions(context, ended)
        if (ended === 'all') await this.#deleteStorage()
      })
      return ended === 'all' ? finished : this.ctx.waitUntil(finished)
    }

    /** Lets a subclass use the context, null when the object has none. `run` runs a step under the lock, or returns false without a context. */
    async use<T>(read: (context: UserContext, run: (step: () => boolean) => Promise<boolean>) => Promise<T>): Promise<T | null> {
      const context = this.#loadContext()
      return context && read(context, (step) => this.#queue.run(async () => context === this.#context && step()))
    }

    override async alarm(): Promise<void> {
      const context = this.#loadContext()
      if (context) await this.#queue.run(() => context.alarm.handle(() => this.#serveAlarms(context)))
    }

    /** A failed alarm does not stop the others. Each sets its next time, or none. */
    async #serveAlarms(context: UserContext): Promise<void> {
      const { state, features } = context
      const work = alarmWork(context)
      const due = new Set([
        ...dueNames(state.meta.alarms, Object.keys(work), Date.now()),
        ...features.flatMap((feature) => feature.dueAlarms?.() ?? []),
      ])
      for (const name of due) await this.#guarded(context, name, async () => work[name]?.(Date.now()))
    }

    async #closed(socket: WebSocket, code: number): Promise<void> {
      const context = this.#loadContext()
      const connection = context?.connections.of(socket)
      context?.connections.close({ socket }, code, 'closed by the client')
      if (context && connection)
        await this.#queue.run(() => this.#guarded(context, 'close', () => leaveGroup(context, connection), [connection]))
    }

    async #handle(socket: WebSocket, message: OtherMessage): Promise<void> {
      const context = this.#loadContext()
      const connection = context?.connections.of(socket)
      if (context && connection) await this.#guarded(context, message[0], () => handleMessage(context, connection, message), [connection])
    }

    async #push(connection: Connection, push: Push, chars: number): Promise<void> {
      const pushed = pushedMutations(push, connection)
      if ('kind' in pushed) return this.#context?.connections.fail(connection, pushed)
      const applied = this.#queue.push(pushed, chars)
      // The platform delivers the socket's next message after this handler returns. Return now, so that later frames join the batch.
      if (this.#queue.isLong) return applied
      this.ctx.waitUntil(applied)
    }

    async #applyPush(pushed: readonly PushedMutation[]): Promise<Served> {
      if (!pushed.some(this.#isPaced)) return this.#servePush(pushed)
      const after = this.#writes.pause
      return after ? { after } : this.#writes.part('shared', () => this.#servePush(pushed))
    }

    async #servePush(pushed: readonly PushedMutation[]): Promise<Served> {
      const context = this.#loadContext()
      const senders = pushed.flatMap(({ socket }) => context?.connections.of(socket) ?? [])
      const served = (context && (await this.#guarded(context, 'push', () => servePush(context, pushed), senders, pushed.length))) ?? 'done'
      // The next page of the import comes after this pause.
      const after = this.#pages.pause
      return served === 'later' && after ? { after } : served
    }

    /** Runs one step. If it fails, the in-memory state is dropped and the affected connections are closed. */
    async #guarded<T>(
      context: UserContext,
      step: string,
      run: () => Promise<T>,
      affected: readonly Connection[] = [],
      mutations = 0,
    ): Promise<T | undefined> {
      const begunMs = Date.now()
      const report = (isFailed: boolean) =>
        options.onStep?.(this.env, { name: step, begunMs, endedMs: Date.now(), isFailed, mutations }, (work) => this.ctx.waitUntil(work))
      try {
        const result = await run()
        for (const feature of context.features) await feature.afterTask?.()
        this.#continueImport(context)
        report(false)
        return result
      } catch (error) {
        report(true)
        context.recover(error, step, affected)
        return undefined
      }
    }

    /** Imports one page; other tasks run between two pages. */
    #continueImport(context: UserContext): void {
      if (mayImport(context)) this.ctx.waitUntil(this.#import(() => this.#guarded(context, 'import', () => continueImport(context))))
    }

    async #deleteStorage(): Promise<void> {
      await this.ctx.storage.deleteAll().finally(() => (this.#context = null))
    }

    /** Undefined if loading state fails. The caller closes the socket; the client reconnects and resends. */
    #connectionOf(socket: WebSocket): Connection | undefined {
      try {
        return this.#loadContext()?.connections.of(socket)
      } catch (error) {
        return void logger.error('wake_failed', error)
      }
    }

    #loadContext(named?: string): UserContext | null {
      const userId = this.#context ? undefined : (named ?? this.ctx.storage.kv.get<string>('userId'))
      return userId === undefined ? this.#context : this.#contextOf(userId)
    }

    #contextOf(userId: string): UserContext {
      if (this.#context) {
        assert(this.#context.userId === userId, 'an object to be reached by its own user only')
        return this.#context
      }
      if (this.ctx.storage.kv.get('userId') !== userId) this.ctx.storage.kv.put('userId', userId)
      const source = options.source(this.env, userId)
      const features = (context: UserContext) => options.features?.(context, source, this.env) ?? []
      const context = new UserContext({ ctx: this.ctx, app: this.#app, source, features })
      context.wake()
      this.#context = context
      return context
    }
  }
}

/** In the order of execution. */
const alarmWork = (context: UserContext): { readonly [name: string]: (nowMs: number) => Promise<unknown> } => ({
  tokens: async (nowMs) => endExpired(context, nowMs),
  quota: async () => closeLimitedConnections(context),
  queries: () => expireDue(context),
  import: () => continueImport(context),
  pull: () => pullNotified(context),
  ...Object.assign({}, ...context.features.map(({ alarms }) => alarms)),
})
