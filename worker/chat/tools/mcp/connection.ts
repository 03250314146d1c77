/**
 * One use of a tool server, by the Model Context Protocol over HTTP (https://modelcontextprotocol.io/specification/2026-07-28), or by SSE for
 * servers of 2024. A connection is opened for each use and closed after it, so that nothing is lost with an object.
 *
 * This module loads the SDK, so it is imported when a server is used.
 */
import {
  Client,
  type ContentBlock,
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import type { ServerParts } from '../../../contract/http.ts'
import {
  maxServerListPages,
  maxServerResponseBytes,
  serverListTimeoutMs,
  toolCallMaxMs,
  toolCallTimeoutMs,
  toolServerTimeoutMs,
} from '../../../contract/limits.ts'
import type { ServerToolOutput } from '../../../contract/tools/server-output.ts'
import type { LeftOut, ServerPrompt, ServerResource, ServerTool } from '../../../contract/tools/tool-servers.ts'
import { boundedResponse } from '../../../lib/bounded-body.ts'
import { version } from '../../../setting-definitions.ts'
import { ToolFailure } from '../tool-failure.ts'
import { guardedFetch, type ServerEgress } from './egress.ts'
import { ServerFailure } from './server-failure.ts'
import { filesOfResource, partsOfPrompt } from './server-files.ts'
import { toolOf, usablePrompts, usableResources, usableTools } from './server-offer.ts'
import { outputOf } from './tool-results.ts'

/** `token` is called before each request. `renew`: called once after a 401; throws if there is no newer token. */
export type Credentials = {
  readonly headers: { readonly [name: string]: string }
  readonly token?: (() => Promise<string | undefined>) | undefined
  readonly renew?: (() => Promise<void>) | undefined
}

export type ServerAddress = { readonly url: string; readonly credentials: Credentials }

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | undefined }

type Progress = { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }

/** What a server offers. `resources` and `prompts` are absent if they could not be read; then `leftOut` has the reason. */
export type ServerOffer = {
  readonly tools: readonly ServerTool[]
  /** The number of tools in `leftOut`. */
  readonly unusable: number
  readonly resources?: readonly ServerResource[]
  readonly prompts?: readonly ServerPrompt[]
  readonly leftOut: readonly LeftOut[]
}

export type ServerConnection = {
  /** The title that the server reports. */
  readonly title: string
  list(): Promise<ServerOffer>
  read(uri: string, title: string): Promise<ServerParts>
  prompt(name: string, args: Record<string, string>, title: string): Promise<ServerParts>
  /** Throws a `ToolFailure` if the definition is no longer the one that the user has seen. */
  call(
    tool: Pick<ServerTool, 'name' | 'digest'>,
    args: Record<string, unknown>,
    onProgress?: (progress: Progress) => void,
  ): Promise<ServerToolOutput>
}

/** Connects, uses the connection and closes it. Throws a `ServerFailure`, a `ToolFailure`, or the reason of the signal. */
export async function withServer<T>(
  server: ServerAddress,
  egress: ServerEgress,
  signal: AbortSignal,
  use: (connection: ServerConnection) => Promise<T>,
  maxBytes = maxServerResponseBytes,
): Promise<T> {
  const ended = new AbortController()
  const { fetch, failure } = guardedFetch({ ...egress, signal: AbortSignal.any([signal, ended.signal]), maxBytes })
  try {
    return await use(await open(server, egress.hurry ?? 1, signal, fetch, failure))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof ToolFailure) throw error
    throw failure() ?? serverFailureOf(error)
  } finally {
    ended.abort()
  }
}

/** Streamable HTTP first. A server that has no such address may be one of the older kind. */
async function open(
  server: ServerAddress,
  hurry: number,
  signal: AbortSignal,
  send: typeof fetch,
  failure: () => ServerFailure | null,
): Promise<ServerConnection> {
  const url = new URL(server.url)
  const { headers, token, renew } = server.credentials
  const options = {
    fetch: send,
    requestInit: { headers },
    ...(token && { authProvider: { token, ...(renew && { onUnauthorized: renew }) } }),
  }
  const ending = new EventTarget()
  const cut = () => void ending.dispatchEvent(new Event('end'))
  try {
    const http = new StreamableHTTPClientTransport(url, { ...options, fetch: withoutListening(send, cut), onInsufficientScope: 'throw' })
    return await connect(http, ending, hurry, signal, failure)
  } catch (error) {
    if (failure() !== null || signal.aborted || serverFailureOf(error).code !== 'no_server') throw error
    return await connect(new SSEClientTransport(url, options), null, hurry, signal, failure).catch((later: unknown) => {
      throw failure() ?? (serverFailureOf(later).code === 'refused' ? later : error)
    })
  }
}

/**
 * A `fetch` without the stream for messages that belong to no request: Parley reads the tools again before each call. `onStreamEnd` is called
 * when the stream of a response ends that the SDK will not resume, because no event of it had an id.
 */
const withoutListening =
  (send: typeof fetch, onStreamEnd: () => void): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers)
    const isPost = init?.method === 'POST'
    if (!isPost && headers.get('accept') === 'text/event-stream' && !headers.has('last-event-id'))
      return new Response(null, { status: 405 })
    const response = await send(input, init)
    if (!isPost || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    return boundedResponse(response, (body) => watchEnd(body, onStreamEnd))
  }

function watchEnd(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder()
  let line = ''
  let isResumable = false
  const end = () => {
    if (!isResumable) onEnd()
  }
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          end()
          throw error
        })
        if (done) {
          end()
          return controller.close()
        }
        line += decoder.decode(value, { stream: true })
        isResumable ||= /(?:^|\n)id:/.test(line)
        line = line.slice(-3)
        controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

async function connect(
  transport: Transport,
  /** Has an event `end` when the stream of a response ends. Null for SSE, which has one stream. */
  streams: EventTarget | null,
  hurry: number,
  signal: AbortSignal,
  failure: () => ServerFailure | null,
): Promise<ServerConnection> {
  const client = new Client(
    { name: 'Parley', version },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: new CfWorkerJsonSchemaValidator(), listMaxPages: 8 },
  )
  const broken = Promise.withResolvers<never>()
  // Unhandled if the connection breaks between two requests.
  broken.promise.catch(() => undefined)
  client.onerror = (error) => {
    const isStreamLost = streams === null && (error instanceof SseError || error instanceof SyntaxError)
    if (isStreamLost || failure() !== null) broken.reject(failure() ?? error)
  }
  /** Rejects also when the stream of the response ends without a response: the SDK would wait for its timeout. */
  const run = <T>(start: (options: RequestOptions) => Promise<T>, timeoutMs: number): Promise<T> => {
    const cut = Promise.withResolvers<never>()
    cut.promise.catch(() => undefined)
    // Chosen: a response that came with the end of its stream is handled before.
    const onEnd = () => void setTimeout(() => cut.reject(new ServerFailure('unreadable')), 100)
    streams?.addEventListener('end', onEnd)
    const timing = { timeout: timeoutMs * hurry, maxTotalTimeout: toolCallMaxMs * hurry, resetTimeoutOnProgress: true }
    const result = Promise.race([start({ signal, ...timing }), cut.promise, broken.promise])
    return result.finally(() => streams?.removeEventListener('end', onEnd))
  }
  await run((options) => client.connect(transport, options), toolServerTimeoutMs)
  const listed = async () => {
    if (!client.getServerCapabilities()?.tools) return []
    return (await run((options) => client.listTools(undefined, options), toolServerTimeoutMs)).tools
  }
  /** The entries of a list, page by page. A list that is longer ends early. Empty if the server has no such list. */
  const entries = async <T>(
    read: (cursor: { readonly cursor?: string }, options: RequestOptions) => Promise<Page<T>>,
  ): Promise<readonly T[]> => {
    const endsMs = Date.now() + serverListTimeoutMs
    const found: T[] = []
    let cursor: string | undefined
    for (let page = 0; page < maxServerListPages; page++) {
      const { items, nextCursor } = await run(
        (options) => read(cursor === undefined ? {} : { cursor }, options),
        Math.max(1, endsMs - Date.now()),
      ).catch((error: unknown) => {
        if (error instanceof ProtocolError && error.code === ProtocolErrorCode.MethodNotFound) return { items: [], nextCursor: undefined }
        throw error
      })
      found.push(...items)
      if (nextCursor === undefined) break
      cursor = nextCursor
    }
    return found
  }
  /** Null without the capability. A failure is returned, because the tools of the server are usable without this list. */
  const listOther = async <T>(
    kind: 'resource' | 'prompt',
    read: () => Promise<{ readonly usable: readonly T[]; readonly leftOut: LeftOut | null }>,
  ): Promise<{ readonly usable?: readonly T[]; readonly leftOut: LeftOut | null }> => {
    if (!client.getServerCapabilities()?.[`${kind}s`]) return { usable: [], leftOut: null }
    try {
      return await read()
    } catch (error) {
      if (signal.aborted) throw error
      return { leftOut: { kind, count: 0, names: [], failure: (failure() ?? serverFailureOf(error)).code } }
    }
  }
  const readPrompts = async () =>
    usablePrompts(
      await entries(async (params, options) => {
        const { prompts, nextCursor } = await client.request({ method: 'prompts/list', params }, options)
        return { items: prompts, nextCursor }
      }),
    )
  const readResources = async () => {
    const resources = await entries(async (params, options) => {
      const page = await client.request({ method: 'resources/list', params }, options)
      return { items: page.resources, nextCursor: page.nextCursor }
    })
    const templates = await entries(async (params, options) => {
      const page = await client.request({ method: 'resources/templates/list', params }, options)
      return { items: page.resourceTemplates, nextCursor: page.nextCursor }
    })
    return usableResources(resources, templates)
  }
  const title = client.getServerVersion()?.title ?? client.getServerVersion()?.name ?? ''
  return {
    title,
    list: async () => {
      const tools = await usableTools(await listed())
      // One after another: the end of a stream belongs to the only request that runs.
      const prompts = await listOther('prompt', readPrompts)
      const resources = await listOther('resource', readResources)
      return {
        tools: tools.usable,
        unusable: tools.leftOut?.count ?? 0,
        ...(resources.usable && { resources: resources.usable }),
        ...(prompts.usable && { prompts: prompts.usable }),
        leftOut: [tools, resources, prompts].flatMap(({ leftOut }) => leftOut ?? []),
      }
    },
    read: async (uri, named) => filesOfResource(await run((options) => client.readResource({ uri }, options), toolServerTimeoutMs), named),
    prompt: async (name, args, named) =>
      partsOfPrompt(await run((options) => client.getPrompt({ name, arguments: args }, options), toolServerTimeoutMs), named),
    call: async ({ name, digest }, args, onProgress) => {
      const definition = (await listed()).find((tool) => tool.name === name)
      const current = definition && (await toolOf(definition))
      if (!definition || current?.digest !== digest) throw new ChangedToolFailure(definition !== undefined)
      const call = (options: RequestOptions) =>
        client.callTool(
          { name, arguments: args },
          { ...options, toolDefinition: definition, ...(onProgress && { onprogress: onProgress }) },
        )
      try {
        return outputOf(await run(call, toolCallTimeoutMs))
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error
        const content: ContentBlock[] = [{ type: 'text', text: error.message }]
        return outputOf({ content, isError: true })
      }
    },
  }
}

/** The server changed or removed the tool after the user last saw it. */
export class ChangedToolFailure extends ToolFailure {
  constructor(isChanged: boolean) {
    super(
      isChanged
        ? 'The server has changed this tool, so it was not called. The user can look at the change in Settings, Tools.'
        : 'The server no longer has this tool.',
    )
  }
}

/** The failure that an error of the SDK stands for. */
function serverFailureOf(error: unknown): ServerFailure {
  if (error instanceof ServerFailure) return error
  return new ServerFailure(codeOf(error), { cause: error })
}

function codeOf(error: unknown): ServerFailure['code'] {
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) return 'refused'
  if (error instanceof SdkHttpError) return codeOfStatus(error.status)
  if (error instanceof SseError) return error.code === undefined ? 'unreachable' : codeOfStatus(error.code)
  if (error instanceof ProtocolError) return 'error'
  if (error instanceof SdkError) return codeOfSdk(error)
  // A request that could not be sent is a `ServerFailure`, so any other error is about what was received.
  return error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'unreadable'
}

function codeOfSdk({ code, cause }: SdkError): ServerFailure['code'] {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return 'timeout'
    case SdkErrorCode.ListPaginationExceeded:
      return 'too_large'
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return 'no_server'
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.InputRequiredRoundsExceeded:
      return 'unreadable'
    default:
      return cause === undefined ? 'unreachable' : codeOf(cause)
  }
}

function codeOfStatus(status: number): ServerFailure['code'] {
  if (status === 401 || status === 403 || status === 407) return 'refused'
  if (status === 429) return 'busy'
  if (status >= 300 && status < 400) return 'redirects'
  if (status === 408 || status === 504) return 'timeout'
  if (status >= 400 && status < 500) return 'no_server'
  // The response is not a valid event stream.
  return status < 300 ? 'no_server' : 'error'
}
