/**
 * A server with an endless line, an endless event, or a small compressed body that unpacks endlessly. Sends as fast as it is read, until
 * the client disconnects or 256 MB are sent: a client without a limit then fails its test instead of filling the machine's memory.
 */
import type { ServerResponse } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

export type Flood = 'line' | 'event' | 'packed'

const pieces: { readonly [F in Flood]: string } = { line: 'x', event: 'data: x\n', packed: '\0' }
const chunkBytes = 8192
const maxBytes = 256 * 1024 * 1024

export async function flood(response: ServerResponse, of: Flood, begun: string, status = 200): Promise<void> {
  const packing = of === 'packed' ? { 'content-encoding': 'gzip' } : {}
  response.writeHead(status, { 'content-type': 'text/event-stream', ...packing })
  const source = Readable.from(flooding(begun, pieces[of].repeat(chunkBytes / pieces[of].length)))
  // When the client disconnects, the pipeline reports an error.
  await pipeline(source, of === 'packed' ? createGzip() : new PassThrough(), response).catch(() => undefined)
}

function* flooding(begun: string, chunk: string): Generator<string> {
  yield begun
  for (let sent = 0; sent < maxBytes; sent += chunkBytes) yield chunk
}
