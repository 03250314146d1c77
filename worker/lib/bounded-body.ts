/**
 * Limits bodies of untrusted senders. Bytes are counted while they are read and after decompression, because a few bytes can decompress to
 * any size. A body that is too long is never held in memory.
 */

export class EndlessBodyError extends Error {
  override readonly name = 'EndlessBodyError'
}

/** Passes the body through while `check` does not throw. An exception cancels the source and errors the stream. */
export function checkedBody(body: ReadableStream<Uint8Array>, check: (chunk: Uint8Array) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) return controller.close()
          check(value)
          controller.enqueue(value)
        } catch (error) {
          // The consumer gets the error. Cancelling is best effort, so its failure is ignored.
          reader.cancel(error).catch(() => undefined)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** A check for `checkedBody`. Throws `EndlessBodyError` when the total exceeds `maxBytes`. */
export function failAbove(maxBytes: number): (chunk: Uint8Array) => void {
  let bytes = 0
  return ({ byteLength }) => {
    bytes += byteLength
    if (bytes > maxBytes) throw new EndlessBodyError(`more than ${maxBytes} bytes`)
  }
}

/** Truncates the stream at `maxBytes` and reads nothing more. */
export function truncateAt(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let remaining = maxBytes
  return new TransformStream({
    transform(chunk, controller) {
      const allowed = chunk.byteLength <= remaining ? chunk : chunk.subarray(0, remaining)
      remaining -= allowed.byteLength
      if (allowed.byteLength > 0) controller.enqueue(allowed)
      if (allowed.byteLength === chunk.byteLength) return
      controller.terminate()
    },
  })
}

/** The response with its body passed through `bound`. */
export function boundedResponse(response: Response, bound: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>): Response {
  const { body, status, statusText, headers } = response
  // A server can send a status above 599, which the Response constructor rejects.
  return body ? new Response(bound(body), { status: Math.min(status, 599), statusText, headers }) : response
}

/** Wraps a `fetch` for packages that read whole bodies. */
export const boundedFetch =
  (send: typeof fetch, maxBytes: number): typeof fetch =>
  async (input, init) =>
    boundedResponse(await send(input, init), (body) => checkedBody(body, failAbove(maxBytes)))

/** As `response.json()`. Throws `EndlessBodyError` for a body above `maxBytes`. */
export async function boundedJson({ body }: Response, maxBytes: number): Promise<unknown> {
  return JSON.parse(body ? await new Response(checkedBody(body, failAbove(maxBytes))).text() : '')
}
