/** What the Worker asks a generation, who is asking, and from which chunk on: over `fetch`, because the answer is a stream. */

export type StreamRequest = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly after: number
  /** The session that a token was made for, when nobody has looked whether it still is. */
  readonly sessionId?: string | undefined
}

/** The number of the last chunk a browser has: its own reconnect says so in a header, our client in the address. */
export function lastChunkSeen(request: Request): number {
  const said = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '0'
  const number = Number(said)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}

/** Never seen outside: the host names nothing. */
export function generationRequest({ after, sessionId, ...names }: StreamRequest, signal: AbortSignal): Request {
  const claim = sessionId === undefined ? null : { sessionId }
  return new Request(`https://generation/stream?${new URLSearchParams({ ...names, ...claim, after: String(after) })}`, { signal })
}

export function parseStreamRequest(request: Request): StreamRequest {
  const { searchParams } = new URL(request.url)
  const named = (name: string) => searchParams.get(name) ?? ''
  return {
    generationId: named('generationId'),
    userId: named('userId'),
    threadId: named('threadId'),
    after: lastChunkSeen(request),
    sessionId: searchParams.get('sessionId') ?? undefined,
  }
}

export const streamResponse = (events: ReadableStream<Uint8Array>): Response =>
  new Response(events, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Said to every proxy on the way: do not compress or collect, somebody is waiting for each word.
      'content-encoding': 'identity',
      'x-accel-buffering': 'no',
    },
  })
