/**
 * The connections of the object. What must survive hibernation is in the socket's attachment, above all the cookie: the next poke starts from
 * it.
 */
import { logger } from '../../lib/logger.ts'
import type { Version } from '../engine/types.ts'
import { type DownMessage, type ErrorBody, encodeDown } from '../protocol/down.ts'

type Attachment = {
  readonly groupID: string
  readonly clientID: string
  readonly wsid: string
  /** The client's cookie; null before its first poke. */
  readonly cookie: string | null
  /** False until `initConnection` has arrived; no poke is sent before. */
  readonly isInited: boolean
  /** When the connection's token expires. */
  readonly expiresAtMs: number
  /** The session that the token was made for. */
  readonly sessionId: string
  /** Empty if the client sent none. */
  readonly userAgent: string
  /** The client has received `MutationRateLimited`; its mutations wait until the connection is closed. */
  readonly isLimited: boolean
  /** A poke is being sent that takes more than one tick. */
  readonly pokeInProgress: boolean
}

export type Connection = Attachment & { readonly socket: WebSocket }

export class Connections {
  readonly #ctx: DurableObjectState
  /** Reading an attachment means deserializing it; a socket is the same object until the Durable Object hibernates. */
  readonly #cached = new WeakMap<WebSocket, Connection>()
  /** In memory only. Without an entry the comparison starts at the cookie, with the same result. */
  readonly #unchangedAt = new WeakMap<WebSocket, { readonly cookie: string | null; readonly version: Version }>()
  readonly #onEmpty: (groupID: string) => void

  /** `onEmpty`: the server closed the last connection of a group. The platform reports the end only after the client's answer. */
  constructor(ctx: DurableObjectState, onEmpty: (groupID: string) => void) {
    this.#ctx = ctx
    this.#onEmpty = onEmpty
  }

  add(socket: WebSocket, attachment: Attachment): Connection {
    this.#ctx.acceptWebSocket(socket, [`group:${attachment.groupID}`, `client:${attachment.clientID}`])
    return this.#store(socket, attachment)
  }

  /** Starts from the stored attachment, because a poke may have changed its cookie. */
  update(connection: Connection, changes: Partial<Attachment>): Connection {
    const { socket, ...attachment } = this.of(connection.socket) ?? connection
    return this.#store(socket, { ...attachment, ...changes })
  }

  /** Records that the client at its cookie lacks nothing of this version, although no poke moved the cookie. */
  setUnchangedAt({ socket, cookie }: Connection, version: Version): void {
    this.#unchangedAt.set(socket, { cookie, version })
  }

  unchangedAt({ socket, cookie }: Connection): Version {
    const unchanged = this.#unchangedAt.get(socket)
    return unchanged?.cookie === cookie ? unchanged.version : 0
  }

  /** Undefined for a socket without an attachment. */
  of(socket: WebSocket): Connection | undefined {
    const cached = this.#cached.get(socket)
    if (cached) return cached
    // Written by `#store` alone.
    const attachment = socket.deserializeAttachment() as Attachment | null
    if (attachment === null) return undefined
    const connection = { ...attachment, socket }
    this.#cached.set(socket, connection)
    return connection
  }

  all(): readonly Connection[] {
    return this.#open(this.#ctx.getWebSockets())
  }

  /** With sockets that the server closed and the client has not answered. */
  get socketCount(): number {
    return this.#ctx.getWebSockets().length
  }

  ofGroup(groupID: string): readonly Connection[] {
    return this.#open(this.#ctx.getWebSockets(`group:${groupID}`))
  }

  ofClient(clientID: string): readonly Connection[] {
    return this.#open(this.#ctx.getWebSockets(`client:${clientID}`))
  }

  send(connection: Connection, ...messages: readonly DownMessage[]): void {
    this.sendFrames(connection, messages.map(encodeDown))
  }

  /** Closes a socket that cannot be written to; its client reconnects. */
  sendFrames(connection: Connection, frames: Iterable<string>): void {
    try {
      for (const frame of frames) connection.socket.send(frame)
    } catch {
      this.close(connection, 1011, 'send failed')
    }
  }

  /** Sends the error and closes. The client reads the error and closes its side. */
  fail(connection: Connection, error: ErrorBody): void {
    this.send(connection, ['error', error])
    this.close(connection, 1000, error.kind)
  }

  close({ socket }: Pick<Connection, 'socket'>, code: number, reason: string): void {
    const isOpen = socket.readyState === WebSocket.OPEN
    try {
      socket.close(code, reason)
    } catch {
      // Already closed.
    }
    const groupID = isOpen ? this.of(socket)?.groupID : undefined
    if (groupID === undefined || this.ofGroup(groupID).length > 0) return
    try {
      this.#onEmpty(groupID)
    } catch (error) {
      // Done again when the platform reports the end, or at the next wake.
      logger.warn('group_end_not_stored', { error: String(error) })
    }
  }

  #store(socket: WebSocket, attachment: Attachment): Connection {
    socket.serializeAttachment(attachment)
    const connection = { ...attachment, socket }
    this.#cached.set(socket, connection)
    return connection
  }

  #open(sockets: readonly WebSocket[]): readonly Connection[] {
    return sockets.flatMap((socket) => (socket.readyState === WebSocket.OPEN ? (this.of(socket) ?? []) : []))
  }
}
