/** A frame of an open connection: what it says, or how it is answered instead. What is answered with an error ends the connection. */
import { decodeUp } from './protocol/decode.ts'
import { comeBack, type ErrorBody, fatal } from './protocol/error.ts'
import type { UpMessage } from './protocol/up.ts'
import type { Session } from './sessions.ts'

/**
 * `isAllowed`: whether this connection may say anything yet; `isFull`: whether too much that was said waits already. A token that has run out may
 * still be replaced.
 */
export function readFrame(
  frame: string | ArrayBuffer,
  session: Session,
  isAllowed: boolean,
  isFull: boolean,
): UpMessage | ErrorBody | 'too-large' {
  if (!isAllowed) return comeBack('too many messages')
  if (isFull) return comeBack('too much is waiting')
  const decoded = decodeUp(frame)
  if (decoded.type === 'too-large') return decoded.type
  if (decoded.type === 'invalid') return fatal('InvalidMessage', decoded.reason)
  const { message } = decoded
  if (session.expiresAtMs <= Date.now() && message[0] !== 'updateAuth') return fatal('Unauthorized', 'the token is expired')
  return message
}
