/** A loopback server with Exa's wire format for `search` and `contents` (https://exa.ai/docs/reference). A test can script faults. */
import { createServer, type ServerResponse } from 'node:http'
import { close, listen } from './peer-server.ts'

type PeerResult = { readonly title?: string | null; readonly url: string; readonly publishedDate?: string; readonly text?: string }

type Misbehaviour =
  | { readonly kind: 'status'; readonly status: number }
  /** Status 200 with this body. */
  | { readonly kind: 'body'; readonly body: string }
  /** Never responds, with the connection open. */
  | { readonly kind: 'stall' }
  /** Stops in the middle of the body, with the connection open. */
  | { readonly kind: 'half' }
  | { readonly kind: 'hang-up' }
  | { readonly kind: 'redirect'; readonly to: string }

export type SearchBehaviour = { readonly kind: 'results'; readonly results: readonly PeerResult[] } | Misbehaviour

export type PageBehaviour =
  /** `url`: the address after redirects, if it differs from the requested one. */
  | { readonly kind: 'page'; readonly url?: string; readonly title?: string | null; readonly text?: string }
  /** Status 200 with the error in `statuses`. */
  | { readonly kind: 'failed'; readonly tag: string; readonly httpStatusCode?: number }
  | Misbehaviour

export type SearchPeer = {
  readonly url: string
  readonly key: string
  /** Bodies of the search requests, in order. */
  readonly asked: readonly { readonly query: string; readonly numResults: number }[]
  /** Bodies of the contents requests, in order. */
  readonly opened: readonly { readonly urls: readonly string[]; readonly text: { readonly maxCharacters: number } }[]
  stop(): Promise<void>
}

const noSuchPage: PageBehaviour = { kind: 'failed', tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 }

export async function startSearchPeer(
  search: (query: string, index: number) => SearchBehaviour,
  page: (url: string, index: number) => PageBehaviour = () => noSuchPage,
): Promise<SearchPeer> {
  const key = 'key-of-the-search-peer'
  const asked: SearchPeer['asked'][number][] = []
  const opened: SearchPeer['opened'][number][] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST') return void send(response, 404, { error: 'not found' })
      if (request.headers['x-api-key'] !== key) return void send(response, 401, { error: 'invalid key', tag: 'INVALID_API_KEY' })
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      if (request.url === '/search' && isSearch(body)) respond(response, search(body.query, asked.push(body) - 1))
      else if (request.url === '/contents' && isContents(body)) respond(response, page(body.urls[0], opened.push(body) - 1), body.urls[0])
      else send(response, 400, { error: 'invalid request', tag: 'INVALID_REQUEST_BODY' })
    })
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    asked,
    opened,
    stop: () => close(server),
  }
}

/** The options of the contents are nested under `contents` here and at the top level of a contents request. */
function isSearch(body: unknown): body is SearchPeer['asked'][number] {
  const { query, numResults, contents } = body as { query?: unknown; numResults?: unknown; contents?: { text?: unknown } }
  return typeof query === 'string' && typeof numResults === 'number' && typeof contents?.text === 'object'
}

function isContents(body: unknown): body is SearchPeer['opened'][number] & { readonly urls: readonly [string] } {
  const { urls, text } = body as { urls?: unknown; text?: { maxCharacters?: unknown } }
  return Array.isArray(urls) && urls.length === 1 && typeof urls[0] === 'string' && typeof text?.maxCharacters === 'number'
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function respond(response: ServerResponse, behaviour: SearchBehaviour | PageBehaviour, url = ''): void {
  const json = { 'content-type': 'application/json' }
  switch (behaviour.kind) {
    case 'results':
      return void send(response, 200, { requestId: 'r', results: behaviour.results.map((result) => ({ id: result.url, ...result })) })
    case 'page': {
      const { kind: _kind, ...result } = behaviour
      return void send(response, 200, {
        requestId: 'r',
        results: [{ id: url, url, ...result }],
        statuses: [{ id: url, status: 'success' }],
      })
    }
    case 'failed': {
      const { kind: _kind, ...error } = behaviour
      return void send(response, 200, { requestId: 'r', results: [], statuses: [{ id: url, status: 'error', error }] })
    }
    case 'body':
      return void response.writeHead(200, json).end(behaviour.body)
    case 'status':
      return void send(response, behaviour.status, { requestId: 'r', error: 'scripted', tag: 'SCRIPTED' })
    case 'redirect':
      return void response.writeHead(307, { location: behaviour.to }).end()
    case 'half':
      return void response.writeHead(200, json).write('{"results":[')
    case 'hang-up':
      return void response.destroy()
    case 'stall':
      return
  }
}
