/** The chat completions protocol that OpenRouter, Ollama and most other servers speak. */
import { type Behaviour, type Dialect, type End, type Peer, type Script, startPeer } from './peer-server.ts'

export const startOpenAICompatiblePeer = (script: readonly Behaviour[] | Script): Promise<Peer> => startPeer(dialect, script)

const frame = (delta: object, finishReason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'peer',
  choices: [{ index: 0, delta, finish_reason: finishReason }],
})

const reasonOf = (end: End) => end.replace('-', '_')

const usageFor = (words: readonly string[]) => ({ prompt_tokens: 10, completion_tokens: words.length, total_tokens: 10 + words.length })

const dialect: Dialect = {
  basePath: '/v1',
  path: '/chat/completions',
  isStreaming: ({ body }) => body.stream === true,
  opening: () => [frame({ role: 'assistant', content: '' })],
  maxTokens: ({ max_tokens }) => (typeof max_tokens === 'number' ? max_tokens : null),
  reasoning: (words) => words.map((word) => frame({ reasoning_content: word })),
  words: (words) => words.map((word) => [frame({ content: word })]),
  closing: (words, usage, end) => [
    JSON.stringify(frame({}, reasonOf(end))),
    ...(usage === 'missing' ? [] : [JSON.stringify({ ...frame({}), choices: [], usage: usageFor(words) })]),
    '[DONE]',
  ],
  tools: (calls, _request, end) => [
    ...calls.flatMap(({ name, input }, index) => [
      frame({ tool_calls: [{ index, id: `call-${index}`, type: 'function', function: { name, arguments: '' } }] }),
      frame({ tool_calls: [{ index, function: { arguments: input } }] }),
    ]),
    frame({}, end ?? 'tool_calls'),
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
    ...(usage === 'missing' ? {} : { usage: usageFor(words) }),
  }),
}
