/** The chat completions protocol of OpenRouter, Ollama and most other servers. */
import { isRecord } from '../../../worker/contract/is-record.ts'
import { type Behaviour, type Counts, type Dialect, type End, type Peer, type Script, startPeer } from './peer-server.ts'

export const startOpenAICompatiblePeer = (script: readonly Behaviour[] | Script): Promise<Peer> => startPeer(dialect, script)

const frame = (delta: object, finishReason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'peer',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
})

const reasonOf = (end: End) => end.replace('-', '_')

/** `cost`: OpenRouter. */
const usageOf = ({ input, cached, output, reasoning, dollars }: Counts) => ({
  ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  ...(dollars === undefined ? {} : { cost: dollars }),
})

const usageEvent = (counts: Counts | null) => (counts === null ? [] : [{ ...frame({}), choices: [], usage: usageOf(counts) }])

const dialect: Dialect = {
  basePath: '/v1',
  path: '/chat/completions',
  isStreaming: ({ body }) => body.stream === true,
  countsStream: ({ stream_options: options }) => isRecord(options) && options.include_usage === true,
  opening: () => [frame({ role: 'assistant', content: '' })],
  maxTokens: ({ max_tokens }) => (typeof max_tokens === 'number' ? max_tokens : null),
  reasoning: (words) => words.map((word) => frame({ reasoning_content: word })),
  words: (words) => words.map((word) => [frame({ content: word })]),
  closing: (_words, usage, end) => [
    JSON.stringify(frame({}, reasonOf(end))),
    ...usageEvent(usage).map((each) => JSON.stringify(each)),
    '[DONE]',
  ],
  tools: (calls, _request, usage, end) => [
    ...calls.flatMap(({ name, input }, index) => [
      frame({ tool_calls: [{ index, id: `call-${index}`, type: 'function', function: { name, arguments: '' } }] }),
      frame({ tool_calls: [{ index, function: { arguments: input } }] }),
    ]),
    frame({}, end ?? 'tool_calls'),
    ...usageEvent(usage),
    '[DONE]',
  ],
  error: (message) => ({ error: { message, type: 'server_error', code: null } }),
  errorBody: (status, message) => ({ error: { message, type: 'told_to', code: status } }),
  whole: (words, usage, end) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'peer',
    choices: [{ index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: reasonOf(end) }],
    ...(usage === null ? {} : { usage: usageOf(usage) }),
  }),
}
