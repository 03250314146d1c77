/**
 * Wire format of a live answer: server-sent events. Every chunk is one event whose `id` is the chunk's number, so a browser that lost its
 * connection sends `Last-Event-ID` and receives the chunks after it. The last event is `end`, or `session-ended`.
 */
import type { StreamChunk } from './message-stream.ts'
import type { Ending } from './messages.ts'

export type StreamEvent =
  | { readonly type: 'chunk'; readonly id: number; readonly chunk: StreamChunk }
  /** What the reader has seen was lost in a crash before it was stored: everything follows from the first chunk on. */
  | { readonly type: 'restart' }
  | { readonly type: 'end'; readonly ending: Ending }
  /** The session of the reader has ended; the answer may go on. */
  | { readonly type: 'session-ended' }

/** `chunkJson` is one line: JSON writes a line break inside a string as an escape. */
export const encodeChunk = (id: number, chunkJson: string): string => `id: ${id}\ndata: ${chunkJson}\n\n`

export const restartEvent = 'event: restart\ndata: {}\n\n'

export const sessionEndedEvent = 'event: session-ended\ndata: {}\n\n'

export const encodeEnd = (ending: Ending): string => `event: end\ndata: ${JSON.stringify({ ending })}\n\n`

/** A comment: keeps proxies from closing a connection on which nothing is said, and means nothing to a reader. */
export const keepAliveEvent = ': still here\n\n'

/**
 * Decodes text as it arrives, cut anywhere, even inside a line break. What is not an event of ours is passed over:
 * an event of a later version must not end the reading.
 */
export function eventStreamDecoder(): (text: string) => StreamEvent[] {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => decodeEvent(block) ?? [])
  }
}

function decodeEvent(block: string): StreamEvent | null {
  let id = 0
  let name = 'message'
  let data = ''
  for (const line of block.split('\n')) {
    if (line.startsWith('data: ')) data += line.slice(6)
    else if (line.startsWith('id: ')) id = Number(line.slice(4))
    else if (line.startsWith('event: ')) name = line.slice(7)
  }
  if (data === '') return null
  const value: unknown = parseJson(data)
  if (typeof value !== 'object' || value === null) return null
  if (name === 'end') return 'ending' in value ? { type: 'end', ending: value.ending as Ending } : null
  if (name === 'session-ended') return { type: 'session-ended' }
  if (name === 'restart') return { type: 'restart' }
  // Past this check a chunk of an unknown kind is harmless: the reducer is total.
  return name === 'message' && id > 0 && 'type' in value ? { type: 'chunk', id, chunk: value as StreamChunk } : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Half an event, from a proxy that cut and closed: the reader will reconnect and ask for it again.
    return null
  }
}
