/** One HTTP request exactly as written: `fetch` would normalise the path and drop headers that a browser may not set. */
import { type IncomingHttpHeaders, request } from 'node:http'

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string; readonly ms: number }
export type RawRequest = {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array | undefined
}

const answerWithinMs = 60_000

export function rawRequest(port: number, path: string, { method = 'GET', headers = {}, body }: RawRequest = {}): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, agent: false, headers: { host: `localhost:${port}`, ...headers } })
    asked.setTimeout(answerWithinMs, () => asked.destroy(new Error(`${method} ${path.slice(0, 80)} was not answered in time`)))
    asked.on('error', reject)
    asked.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: responseHeaders } = response
        resolve({ status, headers: responseHeaders, body: Buffer.concat(chunks).toString(), ms: performance.now() - startedAt })
      })
    })
    asked.end(body)
  })
}
