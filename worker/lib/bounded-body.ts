/**
 * Bodies that others send. What they send is counted where it is read, after whatever packed it: a few bytes may unpack to any number, and
 * what is longer than it may be must not be held first and judged afterwards.
 */

export class EndlessBodyError extends Error {
  override readonly name = 'EndlessBodyError'
}

type Ends = { readonly isLast?: (chunk: Uint8Array) => boolean; readonly over?: () => void }

/**
 * The same bytes when they are asked for, for as long as `check` does not throw; then nothing more is read, and what it threw is the end.
 * A check that takes its time is waited for. The chunk of which `isLast` says so is the end, too, whatever the sender does with the
 * connection. `over`: nothing more will be checked.
 */
export function checkedBody(
  body: ReadableStream<Uint8Array>,
  check: (chunk: Uint8Array) => void | Promise<void>,
  { isLast = () => false, over = () => undefined }: Ends = {},
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let isLeft = false
        try {
          const { done, value } = await reader.read()
          if (!done) {
            await check(value)
            controller.enqueue(value)
            isLeft = isLast(value)
            if (!isLeft) return
          }
        } catch (error) {
          over()
          // The error says what happened; that nobody reads any more, whoever sends may learn or not.
          reader.cancel(error).catch(() => undefined)
          throw error
        }
        over()
        controller.close()
        if (isLeft) leave(reader)
      },
      cancel(reason) {
        over()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Of whoever has said everything. A connection that comes to its end carries the next call, too; one that says more is not listened to. */
export function leave(reader: ReadableStreamDefaultReader<unknown>): void {
  reader
    .read()
    .then(({ done }) => (done ? undefined : reader.cancel()))
    .catch(() => undefined)
}

/** Throws at the first byte too many. */
export function countTo(maxBytes: number): (chunk: Uint8Array) => void {
  let bytes = 0
  return ({ byteLength }) => {
    bytes += byteLength
    if (bytes > maxBytes) throw new EndlessBodyError(`more than ${maxBytes} bytes`)
  }
}

/** Ends the stream at the limit and reads nothing beyond it. */
export function firstBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = maxBytes
  return new TransformStream({
    transform(chunk, controller) {
      const kept = chunk.byteLength <= left ? chunk : chunk.subarray(0, left)
      left -= kept.byteLength
      if (kept.byteLength > 0) controller.enqueue(kept)
      if (kept.byteLength === chunk.byteLength) return
      controller.terminate()
    },
  })
}

/** What of a response reaches whoever asked: its head, and what `bound` makes of its body. */
export function boundedResponse(response: Response, bound: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>): Response {
  const { body, status, statusText, headers } = response
  // More can be answered than a Response can be made of.
  return body ? new Response(bound(body), { status: Math.min(status, 599), statusText, headers }) : response
}

/** For packages that read whole bodies by themselves. */
export const boundedFetch =
  (send: typeof fetch, maxBytes: number): typeof fetch =>
  async (input, init) =>
    boundedResponse(await send(input, init), (body) => checkedBody(body, countTo(maxBytes)))

/** As `response.json()`; an `EndlessBodyError` for a body that is longer than this. */
export async function boundedJson({ body }: Response, maxBytes: number): Promise<unknown> {
  return JSON.parse(body ? await new Response(checkedBody(body, countTo(maxBytes))).text() : '')
}
