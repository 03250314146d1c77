/**
 * Wire format of a live answer: server-sent events. Each chunk is one event, and its `id` is the chunk number. After a reconnect the
 * browser sends `Last-Event-ID` and receives the later chunks. The last event is `end` or `session-ended`.
 */

import { parsedJson } from '../parsed-json.ts'
import type { StreamChunk } from './message-stream.ts'
import type { Ending } from './messages.ts'

export type StreamEvent =
  | { readonly type: 'chunk'; readonly id: number; readonly chunk: StreamChunk }
  /** A crash lost chunks that the reader already received. All chunks follow again from the first. */
  | { readonly type: 'restart' }
  | { readonly type: 'end'; readonly ending: Ending }
  /** The reader's session has ended. The generation continues. */
  | { readonly type: 'session-ended' }

/** `chunkJson` must be one line. JSON escapes line breaks inside strings. */
export const encodeChunk = (id: number, chunkJson: string): string => `id: ${id}\ndata: ${chunkJson}\n\n`

export const restartEvent = 'event: restart\ndata: {}\n\n'

export const sessionEndedEvent = 'event: session-ended\ndata: {}\n\n'

export const encodeEnd = (ending: Ending): string => `event: end\ndata: ${JSON.stringify({ ending })}\n\n`

/** A comment event. It keeps proxies from closing an idle connection, and readers ignore it. */
export const keepAliveEvent = ': still here\n\n'

/** Returns a decoder for text that arrives in arbitrary pieces. Unknown events are skipped, because a later version may add event types. */
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
  // A proxy can truncate an event before it closes the connection. The reader reconnects and gets the event again.
  const value = parsedJson(data)
  if (typeof value !== 'object' || value === null) return null
  if (name === 'end') return 'ending' in value ? { type: 'end', ending: value.ending as Ending } : null
  if (name === 'session-ended') return { type: 'session-ended' }
  if (name === 'restart') return { type: 'restart' }
  // A chunk of an unknown type is safe, because the reducer ignores unknown types.
  return name === 'message' && id > 0 && 'type' in value ? { type: 'chunk', id, chunk: value as StreamChunk } : null
}
