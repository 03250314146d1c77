/** The Worker's request to a Generation object for the events of an answer: the reader, and the chunk to start after. */

export type StreamRequest = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly after: number
  readonly sessionId: string
  /** Chosen by the page once per load; empty if the client sends none. */
  readonly readerId: string
  /** True when D1 confirmed the session for this request. False for a token, which stays valid for minutes after its session. */
  readonly isSessionRead: boolean
  /** How long the reader may wait for the start command. */
  readonly waitMs: number
}

/** The number of the last chunk that the browser has: a header of an `EventSource`, a query parameter of our client. */
export function lastChunkSeen(request: Request): number {
  const said = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '0'
  const number = Number(said)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}

/** Internal: the host is not used. */
export function generationRequest({ after, isSessionRead, waitMs, ...names }: StreamRequest, signal: AbortSignal): Request {
  const query = new URLSearchParams({ ...names, after: String(after), isSessionRead: String(isSessionRead), waitMs: String(waitMs) })
  return new Request(`https://generation/stream?${query}`, { signal })
}

export function parseStreamRequest(request: Request): StreamRequest {
  const { searchParams } = new URL(request.url)
  const named = (name: string) => searchParams.get(name) ?? ''
  return {
    generationId: named('generationId'),
    userId: named('userId'),
    threadId: named('threadId'),
    after: lastChunkSeen(request),
    sessionId: named('sessionId'),
    readerId: named('readerId'),
    isSessionRead: named('isSessionRead') === 'true',
    waitMs: Number(named('waitMs')),
  }
}

export const streamResponse = (events: ReadableStream<Uint8Array>): Response =>
  new Response(events, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Tells proxies not to compress or buffer the stream.
      'content-encoding': 'identity',
      'x-accel-buffering': 'no',
    },
  })
