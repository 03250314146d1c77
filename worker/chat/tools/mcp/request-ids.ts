/**
 * Ids of requests that no other connection uses. The SDK counts from 0 in each connection. The protocol of 2026 has no sessions, and a call that is
 * made again with the user's answer must have another id.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client'

type Rewrite = (message: JSONRPCMessage) => JSONRPCMessage

/** For one connection: a message as it is sent, and a received message as the SDK expects it. */
export function ownIds(): { readonly sent: Rewrite; readonly received: Rewrite } {
  // Chosen: 40 random bits. The SDK needs ids that are numbers.
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  const first = (high % 2 ** 8) * 2 ** 32 + low
  return {
    sent: (message) => {
      if (!('method' in message)) return message
      if ('id' in message) return shifted(message, first)
      const { method, params } = message
      if (method !== 'notifications/cancelled' || typeof params?.requestId !== 'number') return message
      return { ...message, params: { ...params, requestId: params.requestId + first } }
    },
    received: (message) => ('method' in message ? message : shifted(message, -first)),
  }
}

/** The requests that find out the protocol have texts as ids. */
const shifted = <Message extends { readonly id?: string | number | undefined }>(message: Message, difference: number): Message =>
  typeof message.id === 'number' ? { ...message, id: message.id + difference } : message
