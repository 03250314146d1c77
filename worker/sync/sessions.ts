/**
 * The connections of the object. What a connection must not lose while the object sleeps stands in its socket's attachment;
 * the cookie above all, because the next poke has to start from it.
 */

import { logger } from '../lib/logger.ts'
import { type DownMessage, encodeDown } from './protocol/down.ts'
import type { ErrorBody } from './protocol/error.ts'
import { unheardWaitMs } from './protocol/limits.ts'
import { type Said, Unheard } from './unheard.ts'

type Attachment = {
  readonly groupID: string
  readonly clientID: string
  readonly wsid: string
  /** What the client holds; null before its first poke. */
  readonly cookie: string | null
  /** False until `initConnection` has arrived; until then nothing is poked. */
  readonly isInited: boolean
  /** When the token this connection stands on runs out. */
  readonly expiresAtMs: number
  /** The name of ours by which it came; connections from before it was asked for have none. */
  readonly host?: string
  /** The session that token was made for. */
  readonly sessionId: string
  /** Has been told to wait with its mutations; stays so until the connection is closed. */
  readonly isLimited: boolean
  /** A poke longer than one turn is on its way to it. */
  readonly isHalfTold: boolean
  /** Absent until there is much of it. */
  readonly unheard?: Said
}

export type Session = Attachment & { readonly socket: WebSocket }

/** Ours. Only whoever is told more than most people have ever comes to wait. */
const pollMs = 250

export class Sessions {
  readonly #ctx: DurableObjectState
  /** Reading an attachment means deserializing it; sockets keep their identity while the object is awake. */
  readonly #known = new WeakMap<WebSocket, Session>()
  readonly #unheard: Unheard
  readonly #onEmpty: (groupID: string) => void

  /** `onEmpty`: the last connection of a group was closed from here. When the platform says so is up to its client. */
  constructor(ctx: DurableObjectState, onEmpty: (groupID: string) => void) {
    this.#ctx = ctx
    this.#onEmpty = onEmpty
    this.#unheard = new Unheard(ctx)
  }

  add(socket: WebSocket, attachment: Attachment): Session {
    this.#ctx.acceptWebSocket(socket, [`group:${attachment.groupID}`, `client:${attachment.clientID}`])
    return this.#store(socket, attachment)
  }

  /** Changes what the connection is now, not what it was when the caller looked at it: a poke may have moved its cookie since. */
  update(session: Session, changes: Partial<Attachment>): Session {
    const { socket, ...attachment } = this.of(session.socket) ?? session
    return this.#store(socket, { ...attachment, ...changes })
  }

  /** Undefined for a socket that was closed by us or lost its attachment. */
  of(socket: WebSocket): Session | undefined {
    const known = this.#known.get(socket)
    if (known) return known
    // Written by `#store` alone.
    const attachment = socket.deserializeAttachment() as Attachment | null
    if (attachment === null) return undefined
    const session = { ...attachment, socket }
    this.#known.set(socket, session)
    return session
  }

  all(): readonly Session[] {
    return this.#open(this.#ctx.getWebSockets())
  }

  /** Also those whose end has not been heard yet: they hold what they were told until it is. */
  get socketCount(): number {
    return this.#ctx.getWebSockets().length
  }

  ofGroup(groupID: string): readonly Session[] {
    return this.#open(this.#ctx.getWebSockets(`group:${groupID}`))
  }

  ofClient(clientID: string): readonly Session[] {
    return this.#open(this.#ctx.getWebSockets(`client:${clientID}`))
  }

  /** A socket that cannot be written to is a client that will reconnect; the runtime reports its close. */
  send(session: Session, ...messages: readonly DownMessage[]): void {
    this.sendFrames(session, messages.map(encodeDown))
  }

  sendFrames(session: Session, frames: Iterable<string>): void {
    try {
      for (const frame of frames) {
        session.socket.send(frame)
        const unheard = this.#unheard.add(session.socket, session.unheard, frame.length)
        if (unheard) this.update(session, { unheard })
      }
    } catch {
      this.close(session, 1011, 'send failed')
    }
  }

  /** More may be waiting for this client than a connection may leave unheard. At its cookie, a new one goes on. */
  isBehind({ socket, unheard }: Session): boolean {
    return this.#unheard.isTooMuch(socket, unheard)
  }

  /** Waits until the client is known to have heard what it was told; false when it takes too long. */
  async hasCaughtUp(session: Session): Promise<boolean> {
    for (let waitedMs = 0; this.isBehind(session) && session.socket.readyState === WebSocket.OPEN; waitedMs += pollMs) {
      if (waitedMs >= unheardWaitMs) return false
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
    return true
  }

  /** The error, then the end: the client reads the error and closes its side. */
  fail(session: Session, error: ErrorBody): void {
    this.send(session, ['error', error])
    this.close(session, 1000, error.kind)
  }

  close({ socket }: Pick<Session, 'socket'>, code: number, reason: string): void {
    const isOpen = socket.readyState === WebSocket.OPEN
    try {
      socket.close(code, reason)
    } catch {
      // Closed already, which is what was wanted.
    }
    const groupID = isOpen ? this.of(socket)?.groupID : undefined
    if (groupID === undefined || this.ofGroup(groupID).length > 0) return
    try {
      this.#onEmpty(groupID)
    } catch (error) {
      // Made up for when the platform reports the end, or at the next wake.
      logger.warn('end of a group not taken in', { error: String(error) })
    }
  }

  #store(socket: WebSocket, attachment: Attachment): Session {
    socket.serializeAttachment(attachment)
    const session = { ...attachment, socket }
    this.#known.set(socket, session)
    return session
  }

  #open(sockets: readonly WebSocket[]): readonly Session[] {
    return sockets.flatMap((socket) => (socket.readyState === WebSocket.OPEN ? (this.of(socket) ?? []) : []))
  }
}
