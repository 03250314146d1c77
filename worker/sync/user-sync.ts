/**
 * The object of one user: the server side of the Zero sync protocol for all their browsers. Rules: SPEC.md.
 *
 * A shell that decides nothing: it takes the platform's events, puts each under the one lock, and hands it to the function that knows.
 * It keeps nothing in memory that it could not read again: sockets sleep with it and wake with it. Budget: 200 lines.
 */
import { DurableObject } from 'cloudflare:workers'
import { type Env, mustSettings } from '../env.ts'
import { assert } from '../lib/assert.ts'
import { logger } from '../lib/logger.ts'
import { dueNames, readDeadlines } from './alarm.ts'
import { connect } from './connect/connect.ts'
import { admissionOf } from './connect/facts.ts'
import { refuseSocket } from './connect/refuse-socket.ts'
import { deadlineWork } from './deadlines.ts'
import { FrameLimit } from './limits/frame-limit.ts'
import { admitPush, limitPush } from './limits/limit-push.ts'
import { handleMessage, type PlainMessage } from './messages.ts'
import { parseConnectUrl } from './protocol/connect-params.ts'
import { decodeUp } from './protocol/decode.ts'
import { comeBack, fatal } from './protocol/error.ts'
import { maxWaitingMutations } from './protocol/limits.ts'
import type { Push } from './protocol/push.ts'
import { decodeSubProtocol } from './protocol/sub-protocol.ts'
import { applyPush } from './push/apply-push.ts'
import type { PushedMutation } from './push/pending.ts'
import { problemError } from './push/problem.ts'
import { PushQueue } from './push-queue.ts'
import { scheduleExpiry } from './queries/schedule.ts'
import type { Session } from './sessions.ts'
import { type EndedSessions, endSessions } from './tokens.ts'
import { hasQueue, runQueue } from './turns/queue.ts'
import { UserContext } from './user-context.ts'

export class UserSync extends DurableObject<Env> {
  /** Null until the object knows whose it is, which it learns from its first connection. */
  #context: UserContext | null = null
  readonly #queue = new PushQueue((pushed) => this.#applyPush(pushed))
  readonly #frames: FrameLimit
  /** At most one hint waits in line: a second would pull what the first pulls. */
  #isHinted = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#frames = new FrameLimit(mustSettings(env).mutationLimit)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('["ping",{}]', '["pong",{}]'))
  }

  override async fetch(request: Request): Promise<Response> {
    const subProtocol = request.headers.get('sec-websocket-protocol')
    const url = parseConnectUrl(new URL(request.url))
    const admission = admissionOf(request)
    const sent = subProtocol === null ? {} : decodeSubProtocol(subProtocol)
    if (!url || 'invalid' in url.params || !admission || sent === null) return new Response('Bad request', { status: 400 })
    const { params } = url
    const init = sent.initConnectionMessage?.[1]
    return this.#queue.run(async () => {
      const context = this.#contextOf(admission.userId)
      try {
        return await connect(context, { params, init, subProtocol, ...admission })
      } catch (error) {
        this.#recover(context, error, 'connect', params.clientGroupID)
        return refuseSocket(subProtocol, comeBack('connecting failed'))
      }
    })
  }

  override async webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    const decoded = decodeUp(frame)
    const session = this.#known()?.sessions.of(socket)
    if (!session) return socket.close(1000, 'unknown connection')
    if (!this.#frames.allows(socket, Date.now())) return this.#fail(socket, comeBack('too many messages'))
    if (decoded.type === 'too-large') return socket.close(1009, 'message too large')
    if (decoded.type === 'invalid') return this.#fail(socket, fatal('InvalidMessage', decoded.reason))
    const { message } = decoded
    if (session.expiresAtMs <= Date.now() && message[0] !== 'updateAuth')
      return this.#fail(socket, fatal('Unauthorized', 'the token is expired'))
    if (message[0] === 'push') return this.#push(session, message[1])
    return this.#queue.run(() => this.#handle(socket, message))
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    const context = this.#known()
    // 1005 and 1006 say that no code came; they cannot be sent.
    context?.sessions.close({ socket }, code === 1005 || code === 1006 ? 1000 : code, 'closed by the client')
    const session = context?.sessions.of(socket)
    if (!context || !session) return
    await this.#queue.run(async () => {
      if (context.sessions.ofGroup(session.groupID).some((other) => other.socket !== socket)) return
      context.state.groups.stopClock(session.groupID, Date.now())
      await scheduleExpiry(context)
    })
  }

  /** Somebody wrote rows of this user. Without connections and without a queue nobody is waiting: the next connection pulls. */
  async notify(): Promise<void> {
    const context = this.#known()
    if (!context || this.#isHinted) return
    if (context.sessions.all().length === 0 && !hasQueue(context.state.engine)) return
    this.#isHinted = true
    await this.#queue.run(() => {
      this.#isHinted = false
      return this.#guarded(context, 'notify', () => context.commit())
    })
  }

  /** Sessions have ended, or the account has. At once, and again behind a connect that may be under way. */
  async endSessions(ended: EndedSessions): Promise<void> {
    const context = this.#known()
    if (!context) return
    endSessions(context, ended)
    this.ctx.waitUntil(this.#queue.run(async () => endSessions(context, ended)))
  }

  override async alarm(): Promise<void> {
    const context = this.#known()
    if (!context) return
    await this.#queue.run(async () => {
      const due = dueNames(readDeadlines(context.state.meta), Date.now())
      context.alarm.rang()
      for (const name of due) await this.#guarded(context, name, () => deadlineWork[name](context, Date.now()))
      await context.alarm.arm()
    })
  }

  async #handle(socket: WebSocket, message: PlainMessage): Promise<void> {
    const context = this.#known()
    const session = context?.sessions.of(socket)
    if (!context || !session) return
    await this.#guarded(context, message[0], () => handleMessage(context, this.env, session, message), session.groupID)
  }

  async #push(session: Session, { clientGroupID: groupID, mutations }: Push): Promise<void> {
    const { socket } = session
    if (groupID !== session.groupID) return this.#fail(socket, fatal('InvalidPush', 'the push is for another client group'))
    const pushed = mutations.flatMap((mutation): PushedMutation[] => (mutation.type === 'custom' ? [{ groupID, mutation, socket }] : []))
    if (pushed.length < mutations.length) return this.#fail(socket, fatal('InvalidPush', 'only named mutators are accepted'))
    const applied = this.#queue.push(pushed)
    // The platform hands over a socket's next message when this one is done with. Not waiting lets frames meet in one batch;
    // waiting when the line is long makes the socket wait instead of our memory.
    if (this.#queue.length > maxWaitingMutations) return applied
    this.ctx.waitUntil(applied)
  }

  async #applyPush(pushed: readonly PushedMutation[]): Promise<void> {
    const context = this.#known()
    if (!context) return
    await this.#guarded(context, 'push', async () => {
      const nowMs = Date.now()
      const { admitted, refused } = admitPush(context, pushed, nowMs)
      for (const problem of await applyPush(context, admitted)) this.#fail(problem.pushed.socket, problemError(problem))
      await limitPush(context, refused, nowMs)
    })
  }

  #fail(socket: WebSocket, error: Parameters<UserContext['sessions']['fail']>[1]): void {
    const context = this.#known()
    const session = context?.sessions.of(socket)
    if (context && session) context.sessions.fail(session, error)
  }

  /** After a fault nothing in memory is trusted, and every client is asked to come back: connecting is how a client is made whole. */
  async #guarded(context: UserContext, beat: string, run: () => Promise<unknown>, groupID?: string): Promise<void> {
    try {
      await run()
      await runQueue(context)
    } catch (error) {
      this.#recover(context, error, beat, groupID)
    }
  }

  /** `groupID` names whose step it was; without it everybody is concerned. */
  #recover(context: UserContext, error: unknown, beat: string, groupID?: string): void {
    logger.error('sync step failed', error, { beat })
    context.reset()
    const { sessions } = context
    for (const session of groupID === undefined ? sessions.all() : sessions.ofGroup(groupID))
      sessions.fail(session, comeBack('the server could not finish a step'))
  }

  #known(): UserContext | null {
    if (this.#context) return this.#context
    const userId = this.ctx.storage.kv.get<string>('userId')
    return userId === undefined ? null : this.#contextOf(userId)
  }

  #contextOf(userId: string): UserContext {
    if (this.#context) {
      assert(this.#context.userId === userId, 'an object to be reached by its own user only')
      return this.#context
    }
    if (this.ctx.storage.kv.get('userId') !== userId) this.ctx.storage.kv.put('userId', userId)
    const context = new UserContext(this.ctx, this.env, userId, mustSettings(this.env).mutationLimit)
    const connected = new Set(context.sessions.all().map(({ groupID }) => groupID))
    context.state.groups.stopClocksExcept(connected)
    this.#context = context
    return context
  }
}
