/**
 * The object of one user: the server side of the Zero sync protocol for all their browsers. Rules: SPEC.md.
 * A shell that decides nothing: it takes the platform's events, puts each under the one lock, and hands it to the function that knows.
 * It keeps nothing in memory that it could not read again: sockets sleep with it and wake with it. Budget: 200 lines.
 */
import { DurableObject } from 'cloudflare:workers'
import type { FindRequest } from '../contract/found-text.ts'
import { type Env, mustSettings } from '../env.ts'
import { assert } from '../lib/assert.ts'
import { logger } from '../lib/logger.ts'
import { connect } from './connect/connect.ts'
import { readUpgrade } from './connect/facts.ts'
import { refuseSocket } from './connect/refuse-socket.ts'
import { serveDeadlines } from './deadlines.ts'
import { FrameLimit } from './limits/frame-limit.ts'
import { handleMessage, type PlainMessage } from './messages.ts'
import { oneInLine } from './one-in-line.ts'
import { comeBack } from './protocol/error.ts'
import type { Push } from './protocol/push.ts'
import { type PushedMutation, pushedMutations } from './push/pending.ts'
import { servePush } from './push/serve-push.ts'
import { PushQueue } from './push-queue.ts'
import { leaveGroup } from './queries/schedule.ts'
import { readFrame } from './read-frame.ts'
import { Searches } from './search/searches.ts'
import type { SearchAnswer } from './search-door.ts'
import type { Session } from './sessions.ts'
import { type EndedSessions, endSessions } from './tokens.ts'
import { runQueue } from './turns/queue.ts'
import { UserContext } from './user-context.ts'

export class UserSync extends DurableObject<Env> {
  /** Null until the object knows whose it is, which it learns from its first connection, or with a queue (U5). */
  #context: UserContext | null = null
  readonly #queue = new PushQueue((pushed) => this.#applyPush(pushed))
  readonly #frames: FrameLimit
  /** A second hint would pull what the first pulls, and a second page of an import comes by itself. */
  readonly #hint = oneInLine((task) => this.#queue.run(task))
  readonly #import = oneInLine((task) => this.#queue.run(task))
  readonly #searches = new Searches()
  readonly #empty = () => this.ctx.storage.deleteAll().finally(() => (this.#context = null))

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#frames = new FrameLimit(mustSettings(env).mutationLimit)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('["ping",{}]', '["pong",{}]'))
  }

  override async fetch(request: Request): Promise<Response> {
    const connecting = readUpgrade(request)
    if (!connecting) return new Response('Bad request', { status: 400 })
    return this.#queue.run(async () => {
      const context = this.#contextOf(connecting.userId)
      try {
        const response = await connect(context, connecting)
        this.#importOn(context)
        // A token outlives its person by minutes, and nobody else would remove what its connect brought back.
        if (context.isNobodys) await this.#empty()
        return response
      } catch (error) {
        this.#recover(context, error, 'connect', context.sessions.ofClient(connecting.params.clientID))
        return refuseSocket(connecting.subProtocol, comeBack('connecting failed'))
      }
    })
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    const session = this.#sessionOf(socket)
    if (!session) return socket.close(1000, 'unknown connection')
    // Sent again by whoever comes back.
    if (socket.readyState !== WebSocket.OPEN) return
    const message = readFrame(frame, session, this.#frames.allows(socket, Date.now()), this.#queue.isFull)
    if (message === 'too-large') return socket.close(1009, 'message too large')
    if ('kind' in message) return this.#context?.sessions.fail(session, message)
    if (message[0] === 'push') return this.#push(session, message[1], String(frame).length)
    return this.#queue.run(() => this.#handle(socket, message), String(frame).length)
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    // 1005 and 1006 say that no code came; they cannot be sent.
    await this.#left(socket, code === 1005 || code === 1006 ? 1000 : code)
  }

  /** A connection that broke is one that was closed without a word: the platform reports either of the two. */
  override async webSocketError(socket: WebSocket): Promise<void> {
    await this.#left(socket, 1011)
  }

  /** Somebody wrote rows of this user. Without a connection or a queue nobody waits for them; whoever is named has one in the record. */
  async notify(queueOf?: string): Promise<void> {
    const context = this.#known(queueOf)
    if (!context || (queueOf === undefined && context.isIdle)) return
    await this.#hint(async () => {
      await this.#guarded(context, 'notify', () => context.takeHint())
      if (context.isNobodys) await this.#empty()
    })
  }

  /** Where it was said; null when nothing of the person is here. */
  async search(asked: FindRequest): Promise<SearchAnswer> {
    const context = this.#known()
    const isHere = () => context === this.#context
    return context && this.#searches.run(context, asked, (step) => this.#queue.run(async () => isHere() && step()), Date.now())
  }

  /** Sessions have ended, or with `all` the person, and then the storage too. At once, and again behind a connect under way. */
  async endSessions(ended: EndedSessions): Promise<void> {
    const context = this.#known()
    if (!context) return
    endSessions(context, ended)
    const finished = this.#queue.run(async () => {
      endSessions(context, ended)
      if (ended === 'all') await this.#empty()
    })
    return ended === 'all' ? finished : this.ctx.waitUntil(finished)
  }

  override async alarm(): Promise<void> {
    const context = this.#known()
    if (context) await this.#queue.run(() => serveDeadlines(context, (name, work) => this.#guarded(context, name, work)))
  }

  async #left(socket: WebSocket, code: number): Promise<void> {
    const context = this.#known()
    const session = context?.sessions.of(socket)
    context?.sessions.close({ socket }, code, 'closed by the client')
    if (context && session) await this.#queue.run(() => this.#guarded(context, 'close', () => leaveGroup(context, session), [session]))
  }

  async #handle(socket: WebSocket, message: PlainMessage): Promise<void> {
    const context = this.#known()
    const session = context?.sessions.of(socket)
    if (context && session) await this.#guarded(context, message[0], () => handleMessage(context, this.env, session, message), [session])
  }

  async #push(session: Session, push: Push, chars: number): Promise<void> {
    const pushed = pushedMutations(push, session)
    if ('kind' in pushed) return this.#context?.sessions.fail(session, pushed)
    const applied = this.#queue.push(pushed, chars)
    // A socket's next message comes when this one is done with: not waiting lets frames meet in a batch, waiting spares our memory.
    if (this.#queue.isLong) return applied
    this.ctx.waitUntil(applied)
  }

  async #applyPush(pushed: readonly PushedMutation[]): Promise<'done' | 'later'> {
    const context = this.#known()
    const senders = pushed.flatMap(({ socket }) => context?.sessions.of(socket) ?? [])
    return (context && (await this.#guarded(context, 'push', () => servePush(context, pushed), senders))) ?? 'done'
  }

  /** After a fault nothing in memory is trusted, and who asked for the step comes back: connecting is how a client is made whole. */
  async #guarded<T>(context: UserContext, beat: string, run: () => Promise<T>, concerned: readonly Session[] = []): Promise<T | undefined> {
    try {
      const result = await run()
      await runQueue(context)
      this.#importOn(context)
      return result
    } catch (error) {
      this.#recover(context, error, beat, concerned)
      return undefined
    }
  }

  /** Page by page, and between two pages whoever waits. */
  #importOn(context: UserContext): void {
    if (context.mayImport) this.ctx.waitUntil(this.#import(() => this.#guarded(context, 'import', () => context.importOn())))
  }

  #recover(context: UserContext, error: unknown, beat: string, concerned: readonly Session[]): void {
    logger.error('sync step failed', error, { beat })
    context.reset()
    for (const session of new Set(concerned)) context.sessions.fail(session, comeBack('the server could not finish a step'))
  }

  /** Of an object that cannot wake nobody is known. Their clients come back, and say again what would otherwise be missed for good. */
  #sessionOf(socket: WebSocket): Session | undefined {
    try {
      return this.#known()?.sessions.of(socket)
    } catch (error) {
      return void logger.error('waking failed', error)
    }
  }

  #known(named?: string): UserContext | null {
    const userId = this.#context ? undefined : (named ?? this.ctx.storage.kv.get<string>('userId'))
    return userId === undefined ? this.#context : this.#contextOf(userId)
  }

  #contextOf(userId: string): UserContext {
    if (this.#context) {
      assert(this.#context.userId === userId, 'an object to be reached by its own user only')
      return this.#context
    }
    if (this.ctx.storage.kv.get('userId') !== userId) this.ctx.storage.kv.put('userId', userId)
    const context = new UserContext(this.ctx, this.env, userId, mustSettings(this.env).mutationLimit)
    context.wake()
    this.#context = context
    return context
  }
}
