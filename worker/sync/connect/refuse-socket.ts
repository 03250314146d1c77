/**
 * A refused connection. The client understands an `error` frame and hardly anything else, and only in place of `connected`: one that
 * comes after it meets a client that is still busy becoming connected. So the socket is accepted, told, and closed.
 */
import { encodeDown } from '../protocol/down.ts'
import type { ErrorBody } from '../protocol/error.ts'

export function refuseSocket(subProtocol: string | null, error: ErrorBody): Response {
  const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
  server.accept()
  server.send(encodeDown(['error', error]))
  server.close(1000, error.kind)
  return upgraded(client, subProtocol)
}

/** Browsers drop a connection whose sub-protocol is not echoed exactly. */
export function upgraded(webSocket: WebSocket, subProtocol: string | null): Response {
  return new Response(null, { status: 101, webSocket, headers: subProtocol === null ? {} : { 'sec-websocket-protocol': subProtocol } })
}
