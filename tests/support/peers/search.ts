/** A loopback server that speaks the search company's protocol and can be told to misbehave. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PeerResult = { readonly title?: string | null; readonly url: string; readonly publishedDate?: string; readonly text?: string }

export type SearchBehaviour =
  | { readonly kind: 'results'; readonly results: readonly PeerResult[] }
  | { readonly kind: 'status'; readonly status: number }
  /** A 200 with this body, whatever it is. */
  | { readonly kind: 'body'; readonly body: string }
  /** Answers nothing, with the connection open. */
  | { readonly kind: 'stall' }
  /** Begins a body and says no more. */
  | { readonly kind: 'half' }
  | { readonly kind: 'hang-up' }
  | { readonly kind: 'redirect'; readonly to: string }

export type SearchPeer = {
  readonly url: string
  readonly key: string
  /** Bodies of all requests, in the order they came. */
  readonly asked: readonly { readonly query: string; readonly numResults: number }[]
  stop(): Promise<void>
}

export async function startSearchPeer(script: (query: string, index: number) => SearchBehaviour): Promise<SearchPeer> {
  const key = 'key-of-the-search-peer'
  const asked: { query: string; numResults: number }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isKnown = request.method === 'POST' && request.url === '/search' && request.headers['x-api-key'] === key
      if (!isKnown) return void response.writeHead(request.url === '/search' ? 401 : 404).end('{"error":"told so"}')
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { query: string; numResults: number }
      asked.push(body)
      const behaviour = script(body.query, asked.length - 1)
      const json = (text: string) => response.writeHead(200, { 'content-type': 'application/json' }).end(text)
      switch (behaviour.kind) {
        case 'results':
          return void json(
            JSON.stringify({ requestId: 'r', results: behaviour.results.map((result, id) => ({ id: String(id), ...result })) }),
          )
        case 'body':
          return void json(behaviour.body)
        case 'status':
          return void response.writeHead(behaviour.status, { 'content-type': 'application/json' }).end('{"error":"told to"}')
        case 'redirect':
          return void response.writeHead(307, { location: behaviour.to }).end()
        case 'half':
          return void response.writeHead(200, { 'content-type': 'application/json' }).write('{"results":[')
        case 'hang-up':
          return void response.destroy()
        case 'stall':
          return
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    asked,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
