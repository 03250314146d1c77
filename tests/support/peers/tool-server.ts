/** A tool server (MCP by streamable HTTP) on loopback with scripted faults. It uses the protocol of 2025, as most servers do, or that of 2026. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { close, listen } from './peer-server.ts'

type Json = { readonly [key: string]: unknown }
export type RpcRequest = { readonly id?: number | string; readonly method: string; readonly params?: Json }

type ServerHit = {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly rpc: RpcRequest | null
}

/** Answers one request itself, or returns false to leave it to the server. */
export type Fault = (hit: ServerHit, response: ServerResponse) => boolean | Promise<boolean>

export type ToolServerPeer = {
  readonly url: string
  readonly hits: readonly ServerHit[]
  /** Arguments of the calls that the server carried out. */
  readonly called: readonly { readonly name: string; readonly arguments: unknown }[]
  /** Responses that the client gave up before their end. */
  readonly abandoned: () => number
  stop(): Promise<void>
}

export type PeerTool = Json & { readonly name: string }

export const echoTool: PeerTool = {
  name: 'echo',
  title: 'Echo',
  description: 'Returns its text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}

export type ToolServerScript = {
  readonly fault?: Fault
  /** `asked`: how often the list was read before. */
  readonly tools?: (asked: number) => readonly Json[]
  /** `answers`: what the user answered, in order. */
  readonly result?: (args: Json, answers: readonly Json[]) => Json
  /** The next request to the user during a call, as parameters of `elicitation/create`. Null: there is none. */
  readonly asks?: (args: Json, answers: readonly Json[]) => Json | null
  /** The protocol of 2026. */
  readonly isModern?: boolean
  /** Reports of progress before the result. */
  readonly progress?: readonly Json[]
  /** Without one of these, the server does not have its capability. */
  readonly resources?: readonly Json[]
  readonly templates?: readonly Json[]
  readonly prompts?: readonly Json[]
  /** The contents of the resource. */
  readonly read?: (uri: string) => readonly Json[]
  /** The messages of the prompt. */
  readonly prompt?: (params: Json) => readonly Json[]
  /** The values that complete an argument. */
  readonly complete?: (params: Json) => readonly string[]
  /** Entries of a page of resources. Absent: all in one. */
  readonly pageSize?: number
}

export async function startToolServer({
  fault = () => false,
  tools = () => [echoTool],
  result = (args) => ({ content: [{ type: 'text', text: String(args.text) }] }),
  asks = () => null,
  isModern = false,
  progress = [],
  resources,
  templates,
  prompts,
  read = (uri) => [{ uri, text: `The text of ${uri}` }],
  prompt = ({ name }) => [{ role: 'user', content: { type: 'text', text: `The text of ${String(name)}` } }],
  complete: completionOf,
  pageSize,
}: ToolServerScript = {}): Promise<ToolServerPeer> {
  const hits: ServerHit[] = []
  const called: { name: string; arguments: unknown }[] = []
  const waiting = new Map<string, (answer: Json) => void>()
  let listed = 0
  let abandoned = 0
  const server = createServer((incoming, response) => {
    response.once('close', () => {
      if (!response.writableFinished) abandoned += 1
    })
    void (async () => {
      const body = await readBody(incoming)
      const rpc = typeof body?.method === 'string' ? (body as RpcRequest) : null
      const hit = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, rpc }
      hits.push(hit)
      if (await fault(hit, response)) return
      if (typeof body?.id === 'string' && waiting.has(body.id)) {
        waiting.get(body.id)?.(body.result as Json)
        return void response.writeHead(202).end()
      }
      if (hit.path !== '/mcp') return void response.writeHead(404).end()
      if (hit.method !== 'POST' || rpc === null) return void response.writeHead(405).end()
      if (rpc.id === undefined) return void response.writeHead(202).end()
      if (rpc.method === 'tools/call') await answerCall(rpc, response)
      else sendRpc(response, rpc, answerTo(rpc))
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  /** In the protocol of 2025, results have no type. */
  const complete = isModern ? { resultType: 'complete' } : {}
  const pageOf = (all: readonly Json[], start: number): Json => {
    const end = start + (pageSize ?? all.length)
    return { resources: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) }
  }
  const answerTo = ({ method, params = {} }: RpcRequest): Json => {
    if (method === 'initialize')
      return {
        result: {
          protocolVersion: '2025-06-18',
          capabilities: {
            ...{ tools: {}, ...((resources || templates) && { resources: {} }), ...(prompts && { prompts: {} }) },
            ...(completionOf && { completions: {} }),
          },
          serverInfo: { name: 'peer', title: 'Peer', version: '1' },
        },
      }
    if (method === 'server/discover' && isModern) {
      const server = { serverInfo: { name: 'peer', title: 'Peer', version: '1' }, capabilities: { tools: {} } }
      return { result: { ...complete, ...cached, supportedVersions: ['2026-07-28'], ...server } }
    }
    if (method === 'tools/list') return { result: { ...complete, ...(isModern && cached), tools: tools(listed++) } }
    if (method === 'resources/list' && resources) return { result: pageOf(resources, Number(params.cursor ?? 0)) }
    if (method === 'resources/templates/list' && templates) return { result: { resourceTemplates: templates } }
    if (method === 'resources/read') return { result: { contents: read(String(params.uri)) } }
    if (method === 'prompts/list' && prompts) return { result: { prompts } }
    if (method === 'prompts/get') return { result: { messages: prompt(params) } }
    if (method === 'completion/complete' && completionOf) return { result: { completion: { values: completionOf(params) } } }
    return { error: { code: -32601, message: 'Method not found' } }
  }
  const answerCall = async (rpc: RpcRequest, response: ServerResponse): Promise<void> => {
    const { params = {} } = rpc
    const args = (params.arguments ?? {}) as Json
    called.push({ name: String(params.name), arguments: params.arguments })
    const resultOf = (answers: readonly Json[]) => ({ result: { ...complete, ...result(args, answers) } })
    if (isModern) {
      const earlier = typeof params.requestState === 'string' ? (JSON.parse(params.requestState) as readonly Json[]) : []
      const answers = [...earlier, ...Object.values((params.inputResponses ?? {}) as Record<string, Json>)]
      const asked = asks(args, answers)
      if (!asked) return sendRpc(response, rpc, resultOf(answers))
      const inputRequests = { question: { method: 'elicitation/create', params: asked } }
      return sendRpc(response, rpc, { result: { resultType: 'input_required', inputRequests, requestState: JSON.stringify(answers) } })
    }
    const answers: Json[] = []
    const token = (params._meta as Json | undefined)?.progressToken
    if (!asks(args, answers) && progress.length === 0) return sendRpc(response, rpc, resultOf(answers))
    sendEvents(response)
    const send = (message: Json) => response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    for (const report of progress) send({ method: 'notifications/progress', params: { progressToken: token, ...report } })
    for (let asked = asks(args, answers); asked; asked = asks(args, answers)) {
      const id = `ask-${randomUUID()}`
      const answered = new Promise<Json>((resolve) => waiting.set(id, resolve))
      send({ id, method: 'elicitation/create', params: asked })
      answers.push(await answered)
      if (answers.at(-1)?.action === 'cancel') break
    }
    send({ id: rpc.id, ...resultOf(answers) })
    response.end()
  }
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/mcp`, hits, called, abandoned: () => abandoned, stop: () => close(server) }
}

export const sendRpc = (response: ServerResponse, { id }: RpcRequest, body: Json): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))

export const sendEvents = (response: ServerResponse, ...messages: readonly unknown[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const message of messages)
    response.write(`event: message\ndata: ${typeof message === 'string' ? message : JSON.stringify(message)}\n\n`)
}

export const sendPacked = (response: ServerResponse, { id }: RpcRequest, bytes: number): void => {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: ' '.repeat(bytes) }] } })
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(body))
}

/** Lists of the protocol of 2026 say how long they may be kept. */
const cached = { ttlMs: 0, cacheScope: 'private' }

async function readBody(incoming: IncomingMessage): Promise<Json | null> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text.startsWith('{') ? (JSON.parse(text) as Json) : null
}
