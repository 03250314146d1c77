/** A server that never comes to an end: of a line, of an event, or of what a few packed bytes unpack to. As fast as it is read, until nobody listens. */
import type { ServerResponse } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

export type Flood = 'line' | 'event' | 'packed'

const pieces: { readonly [F in Flood]: string } = { line: 'x', event: 'data: x\n', packed: '\0' }
const repeats = 8192

export async function flood(response: ServerResponse, of: Flood, begun: string, status = 200): Promise<void> {
  const packing = of === 'packed' ? { 'content-encoding': 'gzip' } : {}
  response.writeHead(status, { 'content-type': 'text/event-stream', ...packing })
  const source = Readable.from(endlessly(begun, pieces[of].repeat(repeats)))
  // It has no other end than the other side's leaving, of which the pipeline complains.
  await pipeline(source, of === 'packed' ? createGzip() : new PassThrough(), response).catch(() => undefined)
}

function* endlessly(begun: string, piece: string): Generator<string> {
  yield begun
  for (;;) yield piece
}
