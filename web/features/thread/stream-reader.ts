/**
 * Follows one answer from any chunk on, over as many connections as it takes. Numbered chunks make that safe: each connection
 * says which was the last one seen, and a chunk that comes twice is dropped here.
 */
import { eventStreamDecoder, type StreamEvent } from '../../../worker/contract/event-stream.ts'
import type { StreamChunk } from '../../../worker/contract/message-stream.ts'

export type StreamPlace = { readonly url: string; readonly after: number }

type ReaderDeps = {
  readonly fetch: typeof fetch
  /** Of this page's socket; null when there is none. */
  readonly token: () => string | null
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

type ReaderEvents = {
  readonly onChunk: (id: number, chunk: StreamChunk) => void
  /** What was read so far is not so any more; all of it comes again. */
  readonly onRestart: () => void
  readonly signal: AbortSignal
}

/**
 * `gone`: the answer is no longer being written; the synced rows have it. `session-ended`: the server refuses this session, so a retry would be
 * refused too.
 */
export type ReadResult = 'ended' | 'gone' | 'session-ended' | 'aborted'

/** Short at first: a phone that comes back into coverage should not wait. The last one repeats. */
export const retryDelaysMs = [100, 250, 500, 1000, 2000, 4000] as const

export async function followAnswer(
  place: StreamPlace,
  { onChunk, onRestart, signal }: ReaderEvents,
  deps: ReaderDeps,
): Promise<ReadResult> {
  let after = place.after
  let failures = 0
  let isFirst = place.after === 0
  while (!signal.aborted) {
    const before = after
    // Whoever comes again is looked up anyway.
    const bearer = isFirst ? deps.token() : null
    isFirst = false
    const outcome = await readOnce({ url: place.url, after, bearer }, signal, deps.fetch, (event) => {
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
  { url, after, bearer }: StreamPlace & { readonly bearer: string | null },
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
    if (response.status === 204) return 'gone'
    if (response.status === 401) return 'session-ended'
    // 404: the start command has not arrived yet. 429: too many readers; others may leave.
    if (!response.ok || !response.body) return 'again'
    const decode = eventStreamDecoder()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      for (const event of decode(read.value)) {
        if (event.type === 'end') return 'ended'
        if (event.type === 'session-ended') return 'session-ended'
        onEvent(event)
      }
    }
    return 'again'
  } catch {
    // The connection broke or was never made; the next one goes on from the last chunk seen.
    return 'again'
  }
}

/** Ends early when aborted. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
