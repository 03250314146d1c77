/** Reads the values at some paths of a JSON document as a stream, so that the document is never in memory as a whole. */
import { JSONParser } from '@streamparser/json'

/** Chosen: a conversation of this size is not written by hand, and would fill the memory of a phone. */
const maxValueBytes = 64 * 1024 * 1024

export class JsonStreamError extends Error {
  override readonly name = 'JsonStreamError'
  readonly reason: 'file_damaged' | 'too_large'
  constructor(reason: 'file_damaged' | 'too_large') {
    super(reason)
    this.reason = reason
  }
}

/** `list`: the field of the document that holds the value, if the document is an object. */
type JsonValue = { readonly list: string | undefined; readonly value: unknown }

/** Yields the values before the first syntax error, then throws. */
export async function* jsonValues(bytes: ReadableStream<Uint8Array>, paths: string[]): AsyncGenerator<JsonValue> {
  const parser = new JSONParser({ paths, keepStack: false })
  const found: JsonValue[] = []
  let bytesSinceValue = 0
  let error: Error | null = null
  parser.onValue = ({ value, stack }) => {
    const list = stack[1]?.key
    found.push({ list: typeof list === 'string' ? list : undefined, value })
    bytesSinceValue = 0
  }
  parser.onError = (reason) => {
    error ??= reason
  }
  for await (const chunk of bytes) {
    bytesSinceValue += chunk.length
    parser.write(chunk)
    yield* found.splice(0)
    if (error) throw new JsonStreamError('file_damaged')
    if (bytesSinceValue > maxValueBytes) throw new JsonStreamError('too_large')
    // What follows the document is not read.
    if (parser.isEnded) return
  }
  parser.end()
  // The parser reports a number that is the whole document only at the end.
  yield* found.splice(0)
  if (error) throw new JsonStreamError('file_damaged')
}
