/**
 * Reads one answer from a given chunk on, over any number of connections. Each request sends the number of the last chunk received, and
 * duplicate chunks are dropped here.
 */
import { eventStreamDecoder, type StreamEvent } from '../../../../worker/contract/threads/event-stream.ts'
import type { StreamChunk } from '../../../../worker/contract/threads/message-stream.ts'

type StreamPosition = { readonly url: string; readonly after: number }

type ReaderDeps = {
  readonly fetch: typeof fetch
  /** The token of this page's socket; null without a socket. */
  readonly token: () => string | null
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

type ReaderEvents = {
  readonly onChunk: (id: number, chunk: StreamChunk) => void
  /** The chunks read so far are invalid; the stream restarts from the first. */
  readonly onRestart: () => void
  readonly signal: AbortSignal
}

/**
 * `finished`: the answer no longer streams; the synced rows contain it. `session-ended`: the server refuses this session, so a retry would be
 * refused too.
 */
type ReadResult = 'ended' | 'finished' | 'session-ended' | 'aborted'

/**
 * Chosen: short first delays, for a phone that regains coverage. The first delay follows a connection that received chunks. The last delay
 * repeats.
 */
export const retryDelaysMs = [100, 250, 500, 1000, 2000, 4000] as const

export async function followAnswer(
  position: StreamPosition,
  { onChunk, onRestart, signal }: ReaderEvents,
  deps: ReaderDeps,
): Promise<ReadResult> {
  let after = position.after
  let failures = 0
  let isFirst = position.after === 0
  while (!signal.aborted) {
    const before = after
    // A repeated request is authorised by its cookie anyway.
    const bearer = isFirst ? deps.token() : null
    isFirst = false
    const outcome = await readOnce({ url: position.url, after, bearer }, signal, deps.fetch, (event) => {
      if (event.type === 'restart') {
        after = 0
        onRestart()
      } else if (event.id > after) {
        after = event.id
        onChunk(event.id, event.chunk)
      }
    })
    if (outcome !== 'again') return outcome
    failures = after > before ? 0 : failures + 1
    if (!signal.aborted) await deps.sleep(retryDelaysMs[Math.min(failures, retryDelaysMs.length - 1)] ?? 0, signal)
  }
  return 'aborted'
}

async function readOnce(
  { url, after, bearer }: StreamPosition & { readonly bearer: string | null },
  signal: AbortSignal,
  fetchStream: typeof fetch,
  onEvent: (event: Exclude<StreamEvent, { type: 'end' | 'session-ended' }>) => void,
): Promise<Exclude<ReadResult, 'aborted'> | 'again'> {
  try {
    const response = await fetchStream(url, {
      signal,
      credentials: 'include',
      headers: {
        accept: 'text/event-stream',
        ...(after > 0 && { 'last-event-id': String(after) }),
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      },
    })
    if (response.status === 204) return 'finished'
    if (response.status === 401) return 'session-ended'
    // 404: the start command has not arrived yet. 429: too many readers; retry, because others may disconnect.
    if (!response.ok || !response.body) return 'again'
    const decode = eventStreamDecoder()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        for (const event of decode(read.value)) {
          if (event.type === 'end') return 'ended'
          if (event.type === 'session-ended') return 'session-ended'
          onEvent(event)
        }
      }
    } finally {
      // Closes the connection; it may have failed already.
      reader.cancel().catch(() => undefined)
    }
    return 'again'
  } catch {
    // The connection broke or failed; the next one resumes after the last chunk received.
    return 'again'
  }
}
