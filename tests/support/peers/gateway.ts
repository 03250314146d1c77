/** The model gateway's protocol, version 4: one POST, and language-model stream parts as server-sent events in response. */
import { type Behaviour, type Counts, type Dialect, type End, type Peer, type PeerRequest, type Script, startPeer } from './peer-server.ts'
import { providerRefusal, returnsReasoningText } from './provider-rules.ts'
import { callSignature, signatureRefusal, thoughtSignature } from './provider-signatures.ts'

export const startGatewayPeer = (script: readonly Behaviour[] | Script): Promise<Peer> => startPeer(dialect, script)

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'forbidden',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  500: 'internal_server_error',
}

const finish = (end: End) => ({ unified: end, raw: end.replace('-', '_') })

const slugOf = ({ headers }: PeerRequest) => String(headers['ai-language-model-id'])

/** The gateway writes its cost as decimal text. */
const usageOf = (counts: Counts | null) => {
  if (counts === null) return {}
  const { input, cached = 0, output, reasoning = 0, dollars, attempts } = counts
  const gateway = {
    generationId: 'gen_1',
    ...(dollars === undefined ? {} : { cost: String(dollars) }),
    ...(attempts === undefined ? {} : { routing: routingOf(attempts) }),
  }
  return {
    usage: {
      inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
      outputTokens: { total: output, text: output - reasoning, reasoning },
    },
    providerMetadata: { gateway },
  }
}

const routingOf = (attempts: readonly string[]) => ({
  originalModelId: attempts[0],
  modelAttemptCount: attempts.length,
  modelAttempts: attempts.map((slug, index) => ({ modelId: slug, canonicalSlug: slug, success: index === attempts.length - 1 })),
})

const signed = (providerMetadata: object | null) => (providerMetadata ? { providerMetadata } : {})

const dialect: Dialect = {
  basePath: '/v4/ai',
  path: '/language-model',
  isStreaming: ({ headers }) => headers['ai-language-model-streaming'] === 'true',
  opening: () => [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'response-1' },
  ],
  refusal: (request) => providerRefusal(slugOf(request), request.body) ?? signatureRefusal(slugOf(request), request.body),
  maxTokens: ({ maxOutputTokens }) => (typeof maxOutputTokens === 'number' ? maxOutputTokens : null),
  reasoning: (words, request) => {
    if (words.length === 0) return []
    const reasoningText = returnsReasoningText(slugOf(request), request.body) ? words : []
    const signature = thoughtSignature(slugOf(request), request.body, reasoningText.join(''))
    return [
      { type: 'reasoning-start', id: 'r' },
      ...reasoningText.map((delta) => ({ type: 'reasoning-delta', id: 'r', delta })),
      ...(signature ? [{ type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: signature }] : []),
      { type: 'reasoning-end', id: 'r' },
    ]
  },
  words: (words) =>
    words.map((delta, index) => [...(index === 0 ? [{ type: 'text-start', id: 't' }] : []), { type: 'text-delta', id: 't', delta }]),
  sources: (sources) => sources.map(({ url, title }, index) => ({ type: 'source', sourceType: 'url', id: `source-${index}`, url, title })),
  closing: (words, usage, end) => [
    ...(words.length > 0 ? [JSON.stringify({ type: 'text-end', id: 't' })] : []),
    JSON.stringify({ type: 'finish', finishReason: finish(end), ...usageOf(usage) }),
  ],
  tools: (calls, request, usage, end) => [
    ...calls.flatMap(({ name, input }, index) => [
      { type: 'tool-input-start', id: `call-${index}`, toolName: name },
      { type: 'tool-input-delta', id: `call-${index}`, delta: input },
      { type: 'tool-input-end', id: `call-${index}` },
      { type: 'tool-call', toolCallId: `call-${index}`, toolName: name, input, ...signed(callSignature(slugOf(request), input)) },
    ]),
    { type: 'finish', finishReason: end ? finish(end) : { unified: 'tool-calls', raw: 'tool_calls' }, ...usageOf(usage) },
  ],
  error: (message) => ({ type: 'error', error: { message, type: 'internal_server_error' } }),
  errorBody: (status, message) => ({ error: { message, type: errorTypes[status] ?? 'internal_server_error' } }),
  whole: (words, usage, end) => ({
    content: words.length > 0 ? [{ type: 'text', text: words.join('') }] : [],
    finishReason: finish(end),
    ...usageOf(usage),
    warnings: [],
  }),
}
