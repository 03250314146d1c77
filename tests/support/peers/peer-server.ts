/**
 * A loopback server with a model provider's protocol and scripted failures: the real SDK and a real socket, without a provider. Contains
 * the shared part of the two protocols: the script of behaviours, the record of requests, and all connection failures.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Flood, flood } from './flood.ts'

type Source = { readonly url: string; readonly title: string }

type ToolCall = { readonly name: string; readonly input: string }

/** The finish reason of a model. */
export type End = 'stop' | 'length' | 'content-filter'

/**
 * Tokens of one request. Cached tokens are part of the input, reasoning tokens of the output. `dollars`: the cost, if the provider reports
 * it.
 * `attempts`: the models that a gateway tried, the last with success.
 */
export type Counts = {
  readonly input: number
  readonly cached?: number
  readonly output: number
  readonly reasoning?: number
  readonly dollars?: number
  readonly attempts?: readonly string[]
}

/** The response to one request. */
export type Behaviour =
  /**
   * `words` one by one, and an optional promise before the end. `usage: 'missing'` omits the token counts. `thoughtTokens` are used before
   * the first word and count, like the words (one token each), against the request's limit: if it is too small, the answer ends as
   * truncated, perhaps without a word.
   */
  | {
      readonly kind: 'answer'
      readonly words: readonly string[]
      readonly reasoning?: readonly string[]
      readonly thoughtTokens?: number
      readonly delayMs?: number
      /** Comments before the first word, this far apart. */
      readonly keepAlives?: { readonly count: number; readonly everyMs: number }
      readonly until?: Promise<unknown>
      readonly usage?: 'missing' | Counts
      /** Sources reported by a provider that searches on its servers. */
      readonly sources?: readonly Source[]
      readonly ends?: End
      /** Sent after the words unchanged, for protocols whose events are the SDK's parts. */
      readonly parts?: readonly unknown[]
    }
  /** A complete answer; afterwards the connection stays open, or breaks instead of closing. */
  | { readonly kind: 'open-after-end' | 'torn-after-end'; readonly words: readonly string[] }
  /** Status 200 without a stream: an HTML page, an error as JSON, or the whole answer at once. */
  | { readonly kind: 'no-stream'; readonly of: 'page' | 'error' | 'whole'; readonly words?: readonly string[]; readonly message?: string }
  /** `body`: the format of a specific provider; otherwise an error in the protocol's format. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly message?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  /** Sends these words and then nothing, with the connection open. `parts` as above. */
  | { readonly kind: 'stall'; readonly words: readonly string[]; readonly parts?: readonly unknown[] }
  /** A complete answer, cut after `bytes`; then the connection breaks. */
  | { readonly kind: 'cut'; readonly words: readonly string[]; readonly bytes: number }
  /** These words, then a regular end of the stream without a finish event. `parts` as above. */
  | { readonly kind: 'unfinished'; readonly words: readonly string[]; readonly parts?: readonly unknown[] }
  /** These words, then invalid data. */
  | { readonly kind: 'malformed'; readonly words: readonly string[] }
  /** An error event after a valid start. */
  | { readonly kind: 'error'; readonly words: readonly string[]; readonly message: string }
  /** Calls these tools, perhaps after some reasoning. `input` is sent unchanged, also if it is invalid JSON. */
  | {
      readonly kind: 'tools'
      readonly calls: readonly ToolCall[]
      readonly reasoning?: readonly string[]
      readonly ends?: 'length'
      readonly usage?: Counts
    }
  /** A complete answer with duplicated events: only the end, or all of them. */
  | { readonly kind: 'duplicated'; readonly words: readonly string[]; readonly events: 'ending' | 'all' }
  /** These words, then endless data. */
  | { readonly kind: 'flood'; readonly words: readonly string[]; readonly of: Flood }
  /** Reads the request and sends nothing, not even a status. */
  | { readonly kind: 'mute' }
  /** Ends without a word. */
  | { readonly kind: 'empty' }
  /** Breaks the connection before the status. */
  | { readonly kind: 'hang-up' }

export type PeerRequest = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
  readonly streaming: boolean
  /** The client's port: equal for requests over the same connection. */
  readonly port: number | undefined
  readonly atMs: number
  /** Resolves if the client closes the connection before the answer is complete. */
  readonly abandoned: Promise<void>
}

export type Script = (request: PeerRequest, index: number) => Behaviour | Promise<Behaviour>

export type Peer = {
  /** Ends with the path that the SDK calls its base URL. */
  readonly url: string
  /** In order, streaming and other requests. */
  readonly requests: readonly PeerRequest[]
  stop(): Promise<void>
}

/** Encodes behaviours in a protocol. Every line of a stream is one `data:` event. */
export type Dialect = {
  readonly basePath: string
  readonly path: string
  isStreaming(request: Pick<PeerRequest, 'headers' | 'body'>): boolean
  opening(): readonly unknown[]
  /** The visible reasoning of a model, possibly without text. */
  reasoning(words: readonly string[], request: PeerRequest): readonly unknown[]
  /** The token limit of the request; null without a limit. */
  maxTokens(body: PeerRequest['body']): number | null
  /** Why a provider would reject this request. */
  refusal?(request: PeerRequest): string | null
  /** The events of each word separately, so that they can be paced. */
  words(words: readonly string[]): readonly (readonly unknown[])[]
  /** Only if the protocol supports them. */
  sources?(sources: readonly Source[]): readonly unknown[]
  /** False: a stream has token counts only on request. */
  countsStream?(body: PeerRequest['body']): boolean
  closing(words: readonly string[], usage: Counts | null, end: End): readonly string[]
  /** The tool calls and the end of the step; another end if the calls were truncated. */
  tools(calls: readonly ToolCall[], request: PeerRequest, usage: Counts | null, end?: 'length'): readonly unknown[]
  error(message: string): unknown
  errorBody(status: number, message: string): unknown
  whole(words: readonly string[], usage: Counts | null, end: End): unknown
}

/** A list is played in order, and its last behaviour repeats. Requests without streaming (titles) get one word. */
export async function startPeer(dialect: Dialect, script: readonly Behaviour[] | Script): Promise<Peer> {
  const requests: PeerRequest[] = []
  let streamed = 0
  const choose = (request: PeerRequest): Behaviour | Promise<Behaviour> => {
    if (typeof script === 'function') return script(request, request.streaming ? streamed++ : 0)
    if (!request.streaming) return { kind: 'answer', words: ['Title'] }
    return script[Math.min(streamed++, script.length - 1)] ?? { kind: 'empty' }
  }
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await readJson(incoming)
      const request: PeerRequest = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body,
        port: incoming.socket.remotePort,
        atMs: Date.now(),
        streaming: dialect.isStreaming({ headers: incoming.headers, body }),
        abandoned: new Promise((resolve) => response.once('close', () => !response.writableFinished && resolve())),
      }
      requests.push(request)
      if (request.path !== `${dialect.basePath}${dialect.path}`) return sendJson(response, 404, dialect.errorBody(404, 'no such path'))
      const refusal = dialect.refusal?.(request) ?? null
      if (refusal !== null) return sendJson(response, 400, dialect.errorBody(400, refusal))
      await play(dialect, await choose(request), request, response)
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}${dialect.basePath}`,
    requests,
    stop: () => close(server),
  }
}

async function play(dialect: Dialect, behaviour: Behaviour, request: PeerRequest, response: ServerResponse): Promise<void> {
  if (behaviour.kind === 'hang-up') return void response.destroy()
  if (behaviour.kind === 'mute') return
  if (behaviour.kind === 'status') {
    const { status, message = 'fails on request', headers, body = dialect.errorBody(status, message) } = behaviour
    return sendJson(response, status, body, headers)
  }
  const allWords = 'words' in behaviour ? behaviour.words : []
  const words = allWords.slice(0, remainingTokens(dialect, behaviour, request))
  const end = words.length < allWords.length ? 'length' : behaviour.kind === 'answer' ? (behaviour.ends ?? 'stop') : 'stop'
  const counted: Counts = { input: 10, output: words.length }
  const given = behaviour.kind === 'answer' || behaviour.kind === 'tools' ? (behaviour.usage ?? counted) : counted
  const isCounted = !request.streaming || (dialect.countsStream?.(request.body) ?? true)
  const usage = given === 'missing' || !isCounted ? null : given
  if (!request.streaming) return sendJson(response, 200, dialect.whole(words, usage, end))
  if (behaviour.kind === 'no-stream') return sendNoStream(dialect, behaviour, response)
  if (behaviour.kind === 'flood') {
    const begun = [...dialect.opening(), ...dialect.words(words).flat()].map(event).join('')
    return flood(response, behaviour.of, begun)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const times = behaviour.kind === 'duplicated' && behaviour.events === 'all' ? 2 : 1
  const send = (events: readonly unknown[]) => events.length > 0 && response.write(events.map((each) => event(each).repeat(times)).join(''))
  if (behaviour.kind === 'cut') {
    const whole = [...dialect.opening(), ...dialect.words(words).flat(), ...dialect.closing(words, usage, 'stop')].map(event).join('')
    response.write(Buffer.from(whole).subarray(0, behaviour.bytes))
    // Long enough for the bytes to be read: a broken connection may discard unread ones.
    await sleep(0)
    return void response.destroy()
  }
  send(dialect.opening())
  if (behaviour.kind === 'answer')
    send([...dialect.reasoning(behaviour.reasoning ?? [], request), ...(dialect.sources?.(behaviour.sources ?? []) ?? [])])
  const { count, everyMs } = (behaviour.kind === 'answer' && behaviour.keepAlives) || { count: 0, everyMs: 0 }
  for (let sent = 0; sent < count; sent++) {
    await sleep(everyMs)
    response.write(': keep-alive\n\n')
  }
  const delayMs = behaviour.kind === 'answer' ? (behaviour.delayMs ?? 0) : 0
  for (const events of dialect.words(words)) {
    if (delayMs > 0) await sleep(delayMs)
    if (response.destroyed) return
    send(events)
  }
  if (behaviour.kind === 'answer' || behaviour.kind === 'unfinished' || behaviour.kind === 'stall') send(behaviour.parts ?? [])
  if (behaviour.kind === 'answer') await behaviour.until
  if (behaviour.kind === 'stall') return
  if (behaviour.kind === 'tools') {
    send([...dialect.reasoning(behaviour.reasoning ?? [], request), ...dialect.tools(behaviour.calls, request, usage, behaviour.ends)])
    return void response.end()
  }
  if (behaviour.kind === 'malformed') response.write('data: {"this is": not JSON\n\n')
  else if (behaviour.kind === 'error') send([dialect.error(behaviour.message)])
  else if (behaviour.kind !== 'unfinished') {
    if (behaviour.kind === 'duplicated') send(dialect.closing(words, usage, end))
    send(dialect.closing(words, usage, end))
  }
  if (behaviour.kind === 'open-after-end') return
  if (behaviour.kind === 'torn-after-end') {
    await sleep(0)
    return void response.destroy()
  }
  response.end()
}

function sendNoStream(dialect: Dialect, behaviour: Extract<Behaviour, { kind: 'no-stream' }>, response: ServerResponse): void {
  const { of, words = [], message = 'fails on request' } = behaviour
  if (of === 'whole') return void sendJson(response, 200, dialect.whole(words, { input: 10, output: words.length }, 'stop'))
  if (of === 'error') return void sendJson(response, 200, dialect.errorBody(402, message))
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end('<!doctype html><title>Sign in</title><p>Sign in to use this network.')
}

function remainingTokens(dialect: Dialect, behaviour: Behaviour, { body }: PeerRequest): number {
  const maxTokens = dialect.maxTokens(body)
  if (behaviour.kind !== 'answer' || behaviour.thoughtTokens === undefined || maxTokens === null) return Number.POSITIVE_INFINITY
  return Math.max(0, maxTokens - behaviour.thoughtTokens)
}

/** Strings are sent unchanged: OpenAI's `[DONE]` is not JSON. */
const event = (value: unknown): string => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

async function readJson(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? {} : JSON.parse(text)
}

export async function listen(server: Server): Promise<number> {
  // Never. After Node's default of 5 s, the server would close an idle connection that a client may be about to use.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a numeric port')
  return address.port
}

export function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
