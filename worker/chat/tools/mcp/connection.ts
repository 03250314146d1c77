/**
 * One use of a tool server, by the Model Context Protocol over HTTP (https://modelcontextprotocol.io/specification/2026-07-28), or by SSE for
 * servers of 2024. A connection is opened for each use and closed after it, so that nothing is lost with an object.
 *
 * This module loads the SDK, so it is imported when a server is used.
 */
import {
  type CallToolResult,
  Client,
  type ContentBlock,
  type InputRequiredResult,
  type InputResponses,
  InsufficientScopeError,
  isInputRequiredResult,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import type { ServerParts, ServerSuggestions } from '../../../contract/http.ts'
import { isRecord } from '../../../contract/is-record.ts'
import {
  maxInputRounds,
  maxServerListPages,
  maxUnaskedRepeats,
  serverListTimeoutMs,
  suggestionTimeoutMs,
  toolCallMaxMs,
  toolCallTimeoutMs,
  toolServerTimeoutMs,
} from '../../../contract/limits.ts'
import { looseSchema } from '../../../contract/tools/model-schema.ts'
import type { ServerToolOutput } from '../../../contract/tools/server-output.ts'
import type { LeftOut, ServerPrompt, ServerResource, ServerTool } from '../../../contract/tools/tool-servers.ts'
import { boundedResponse } from '../../../lib/bounded-body.ts'
import { schemaError } from '../../../lib/fits-schema.ts'
import { version } from '../../../setting-definitions.ts'
import { ToolFailure } from '../tool-failure.ts'
import { guardedFetch, type ServerEgress } from './egress.ts'
import { forgiving } from './forgiving-transport.ts'
import {
  type AnsweredInput,
  type AskingCall,
  answeredIn,
  answersOf,
  askingCall,
  digestOf,
  type ResumedCall,
  resultOf,
  unshown,
} from './input-requests.ts'
import { scopesIn } from './scopes.ts'
import { ServerFailure } from './server-failure.ts'
import { filesOfResource, partsOfPrompt } from './server-files.ts'
import { toolOf, usablePrompts, usableResources, usableSuggestions, usableTools } from './server-offer.ts'
import { outputOf } from './tool-results.ts'

/** `token` is called before each request. `renew`: called once after a 401; throws if there is no newer token. */
export type Credentials = {
  readonly headers: { readonly [name: string]: string }
  readonly token?: (() => Promise<string | undefined>) | undefined
  readonly renew?: (() => Promise<void>) | undefined
}

export type ServerAddress = { readonly url: string; readonly credentials: Credentials }

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | undefined }

/** An argument of a prompt or of a template of addresses. `key`: the name of the prompt, or the template. `args`: the other values of the form. */
export type SuggestedArgument = {
  readonly kind: 'prompt' | 'resource'
  readonly key: string
  readonly argument: { readonly name: string; readonly value: string }
  readonly args: { readonly [name: string]: string }
}

/** The offer of a server. `resources` and `prompts` are absent if they could not be read; then `leftOut` has the reason. */
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
  suggest(of: SuggestedArgument): Promise<ServerSuggestions>
  /**
   * Throws a `ToolFailure` if the definition is no longer the one that the user has seen, or if the server asks for something that cannot be
   * shown. A call whose server asks the user ends.
   */
  call(
    tool: Pick<ServerTool, 'name' | 'digest'>,
    args: Record<string, unknown>,
    onProgress?: (progress: Progress) => void,
    resumed?: ResumedCall,
  ): Promise<ServerToolOutput | AskingCall>
}

/** Connects, uses the connection and closes it. Throws a `ServerFailure`, a `ToolFailure`, or the reason of the signal. */
export async function withServer<T>(
  server: ServerAddress,
  egress: ServerEgress,
  signal: AbortSignal,
  use: (connection: ServerConnection) => Promise<T>,
  maxBytes?: number,
): Promise<T> {
  const ended = new AbortController()
  const { fetch, failure } = guardedFetch(egress, AbortSignal.any([signal, ended.signal]), maxBytes)
  try {
    return await use(await open(server, egress, signal, fetch, failure))
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
  egress: ServerEgress,
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
    return await connect(http, ending, egress, signal, failure)
  } catch (error) {
    if (failure() !== null || signal.aborted || serverFailureOf(error).code !== 'no_server') throw error
    return await connect(new SSEClientTransport(url, options), null, egress, signal, failure).catch((later: unknown) => {
      throw failure() ?? (serverFailureOf(later).wantsLogin ? later : error)
    })
  }
}

/**
 * A `fetch` without the stream for messages that belong to no request: Parley reads the tools again before each call. `onStreamEnd` is called
 * when the stream of the newest request ends that the SDK will not resume, because no event of it had an id. A later request or notification
 * shows that the response has arrived; a server may end its stream after that.
 */
function withoutListening(send: typeof fetch, onStreamEnd: () => void): typeof fetch {
  let newest = 0
  return async (input, init) => {
    const headers = new Headers(init?.headers)
    const isPost = init?.method === 'POST'
    if (!isPost && headers.get('accept') === 'text/event-stream' && !headers.has('last-event-id'))
      return new Response(null, { status: 405 })
    if (isPost && hasMethod(init.body)) newest += 1
    const sent = newest
    const response = await send(input, init)
    if (!isPost || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    // Chosen: a response that came with the end of its stream is handled before.
    const onEnd = () => void setTimeout(() => sent === newest && onStreamEnd(), 100)
    return boundedResponse(response, (body) => watchEnd(body, onEnd))
  }
}

/** False for responses to the server, which are sent during a request. */
const hasMethod = (body: unknown): boolean => typeof body === 'string' && 'method' in JSON.parse(body)

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
  { hurry = 1, isLocalAllowed }: ServerEgress,
  signal: AbortSignal,
  failure: () => ServerFailure | null,
): Promise<ServerConnection> {
  const client = new Client(
    { name: 'Parley', version },
    {
      versionNegotiation: { mode: 'auto' },
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
      listMaxPages: maxServerListPages,
      capabilities: { elicitation: { form: {}, url: {} } },
      inputRequired: { autoFulfill: false },
    },
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
    const onEnd = () => cut.reject(new ServerFailure('unreadable'))
    streams?.addEventListener('end', onEnd)
    const timing = { timeout: timeoutMs * hurry, maxTotalTimeout: toolCallMaxMs * hurry, resetTimeoutOnProgress: true }
    const result = Promise.race([start({ signal, ...timing }), cut.promise, broken.promise])
    return result.finally(() => streams?.removeEventListener('end', onEnd))
  }
  const sound = forgiving(transport, () => client.getProtocolEra() === 'modern')
  await run((options) => client.connect(sound, options), toolServerTimeoutMs)
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
    prompt: async (name, args, named) => {
      const answer = await run((options) => client.getPrompt({ name, arguments: args }, options), toolServerTimeoutMs)
      return partsOfPrompt(answer, named, (uri) => run((options) => client.readResource({ uri }, options), serverListTimeoutMs))
    },
    suggest: async ({ kind, key, argument, args }) => {
      if (!client.getServerCapabilities()?.completions) return null
      const ref = kind === 'prompt' ? ({ type: 'ref/prompt', name: key } as const) : ({ type: 'ref/resource', uri: key } as const)
      const params = { ref, argument, context: { arguments: args } }
      const { completion } = await run((options) => client.complete(params, options), suggestionTimeoutMs)
      return { values: usableSuggestions(completion.values) }
    },
    call: async ({ name, digest }, args, onProgress, resumed) => {
      const definition = (await listed()).find((tool) => tool.name === name)
      const current = definition && (await toolOf(definition))
      if (!definition || current?.digest !== digest) throw new ChangedToolFailure(definition !== undefined)
      // The SDK would miss the structured content of a result that asks.
      const { outputSchema, ...toolDefinition } = definition
      const stop = new AbortController()
      const options = { toolDefinition, allowInputRequired: true, ...(onProgress && { onprogress: onProgress }) }
      const send = (continuation: Continuation) =>
        run(
          (timing) =>
            client.callTool(
              { name, arguments: args, ...continuation },
              { ...timing, ...options, signal: AbortSignal.any([signal, stop.signal]) },
            ) as Promise<CallToolResult | InputRequiredResult>,
          toolCallTimeoutMs,
        )
      const answers = answeredIn(resumed)
      const asking = (requests: Readonly<Record<string, unknown>>, requestState?: string) => {
        const rounds = (resumed?.state.rounds ?? 0) + 1
        if (rounds > maxInputRounds) throw new ToolFailure('asks_too_often', 'The server asked the user for input too often.')
        return askingCall(requests, { rounds, answered: answers, requestState }, isLocalAllowed)
      }
      const request = answerRequests(client, answers)
      try {
        let continuation: Continuation = resumed && client.getProtocolEra() === 'modern' ? continuationOf(resumed) : {}
        for (let attempt = 0; attempt < maxUnaskedRepeats; attempt++) {
          const sent = send(continuation)
          const first = await Promise.race([sent, request])
          if ('asked' in first) {
            await endCall(sent, stop, hurry)
            return await asking({ '': first.asked })
          }
          if (!isInputRequiredResult(first)) return outputOf(checkedOutput(first, outputSchema))
          const { inputRequests = {}, requestState } = first
          if (Object.keys(inputRequests).length > 0) return await asking(paramsOf(inputRequests), requestState)
          // The server only wants the call again.
          continuation = requestState === undefined ? {} : { requestState }
        }
        throw new ServerFailure('unreadable')
      } catch (error) {
        if (error instanceof UrlElicitationRequiredError) return await asking({ ...error.elicitations })
        if (!(error instanceof ProtocolError)) throw error
        const content: ContentBlock[] = [{ type: 'text', text: error.message }]
        return outputOf({ content, isError: true })
      }
    },
  }
}

/**
 * Answers what a server of 2025 asks during a call: with the stored answers, each of them once. Resolves to the parameters of the first request
 * without an answer.
 */
function answerRequests(client: Client, answers: readonly AnsweredInput[]): Promise<{ readonly asked: unknown }> {
  const left = [...answers]
  const unanswered = Promise.withResolvers<{ readonly asked: unknown }>()
  // Not `setRequestHandler`: the SDK would answer a request that it cannot read, and the call would go on without it.
  client.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== 'elicitation/create') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found')
    const digest = await digestOf(params)
    const index = left.findIndex((answered) => answered.digest === digest)
    const [known] = index === -1 ? [] : left.splice(index, 1)
    if (known) return resultOf(known)
    unanswered.resolve({ asked: params })
    return { action: 'cancel' }
  }
  return unanswered.promise
}

/** Chosen: a server that reads the answer `cancel` ends its call within this time. After that it gets the notification that the call is cancelled. */
const callEndMs = 2_000
/** Chosen: the time for one small request to leave. */
const cancelMs = 200

async function endCall(sent: Promise<unknown>, stop: AbortController, hurry: number): Promise<void> {
  const ended = sent.then(
    () => true,
    () => true,
  )
  if (await Promise.race([ended, wait(callEndMs * hurry)])) return
  stop.abort(new Error('the user is asked'))
  await wait(cancelMs)
}

const wait = (ms: number): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), ms))

/** The additional parameters of the next call, for a server of 2026. */
type Continuation = { readonly inputResponses?: InputResponses; readonly requestState?: string }

const continuationOf = (resumed: ResumedCall): Continuation => ({
  inputResponses: Object.fromEntries(answersOf(resumed).map((answered) => [answered.key, resultOf(answered)])),
  ...(resumed.state.requestState !== undefined && { requestState: resumed.state.requestState }),
})

function paramsOf(requests: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(requests).map(([key, request]) => {
      if (!isRecord(request) || request.method !== 'elicitation/create') throw new ToolFailure('asks_unshown', unshown)
      return [key, request.params]
    }),
  )
}

/** Throws for a result that does not fit the schema of its own tool. What does not fit is not named: the server chooses these words. */
function checkedOutput(result: CallToolResult, schema: Tool['outputSchema']): CallToolResult {
  if (!schema || result.isError) return result
  if (result.structuredContent !== undefined && schemaError(looseSchema(schema), result.structuredContent) === null) return result
  throw new ToolFailure(
    'result_form',
    'The call was made, but its result does not match the schema that the server gives for this tool, so it is not used.',
  )
}

/** The server changed or removed the tool after the user last saw it. */
export class ChangedToolFailure extends ToolFailure {
  constructor(isChanged: boolean) {
    super(
      isChanged ? 'tool_changed' : 'tool_gone',
      isChanged
        ? 'The server has changed this tool, so it was not called. It stays off until the user, or an owner or admin of the organization, accepts the change in Settings, Tools.'
        : 'The server no longer has this tool.',
    )
  }
}

/** The failure that an error of the SDK stands for. */
function serverFailureOf(error: unknown): ServerFailure {
  if (error instanceof ServerFailure) return error
  const lacked = lackedScopesOf(error)
  return lacked.length > 0
    ? new ServerFailure('scopes', { cause: error, scopes: lacked })
    : new ServerFailure(codeOf(error), { cause: error })
}

function lackedScopesOf(error: unknown): readonly string[] {
  if (error instanceof InsufficientScopeError) return scopesIn(error.requiredScope)
  return error instanceof SdkError && error.cause !== undefined ? lackedScopesOf(error.cause) : []
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
