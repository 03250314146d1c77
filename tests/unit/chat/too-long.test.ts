// A conversation that exceeds its model's context, in the formats of all providers: reported as such, with a remedy for the user, and not
// retried.
import { describe, expect, test } from 'vitest'
import { ModelStreamError } from '../../../worker/chat/model/errors.ts'
import { failureOf } from '../../../worker/chat/model/failures.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

const openAi = (message: string, fields: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: 'messages', code: null, ...fields },
})
const messages = {
  'OpenAI, chat completions':
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 150013 tokens. Please reduce the length of the messages.",
  'OpenAI, responses': 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  Anthropic: 'prompt is too long: 208310 tokens > 200000 maximum',
  'Anthropic, with the answer':
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens`',
  Bedrock: 'Input is too long for requested model.',
  Gemini: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
  xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  Mistral: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  Moonshot: 'Invalid request: Your request exceeded model token limit: 131072',
  Qwen: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
  'Z.ai': 'Prompt exceeds max length',
  OpenRouter:
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens (200000 of text input). Please reduce the length of either one.",
  'vLLM, of before': 'The prompt (total length 25938) is too long to fit into the model (context length 4096).',
  vLLM: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
  'llama.cpp': 'the request exceeds the available context size, try increasing it',
  Ollama: 'the input length exceeds the context length',
  'LM Studio':
    'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
  'Workers AI': '5021: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).',
  Cohere: 'too many tokens: size limit exceeded by 420 tokens.',
}

/** The error format of each protocol. */
const wire: Readonly<Record<string, Extract<Behaviour, { kind: 'status' }>>> = {
  ...Object.fromEntries(Object.entries(messages).map(([who, message]) => [who, { kind: 'status', status: 400, message }])),
  'OpenAI, by its code alone': { kind: 'status', status: 400, body: openAi('No.', { code: 'context_length_exceeded' }) },
  'Anthropic, as it is': {
    kind: 'status',
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: messages.Anthropic } },
  },
  'Anthropic, by its size': {
    kind: 'status',
    status: 413,
    body: { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  },
  'Gemini, as it is': { kind: 'status', status: 400, body: { error: { code: 400, message: messages.Gemini, status: 'INVALID_ARGUMENT' } } },
  'vLLM, as it is': {
    kind: 'status',
    status: 400,
    body: { object: 'error', message: messages['OpenAI, chat completions'], type: 'BadRequestError', param: null, code: 400 },
  },
  'llama.cpp, as it is': {
    kind: 'status',
    status: 400,
    body: { error: { code: 400, message: messages['llama.cpp'], type: 'exceed_context_size_error', n_prompt_tokens: 5000, n_ctx: 4096 } },
  },
  'a server that calls it its own error': { kind: 'status', status: 500, message: messages.vLLM },
  'a proxy before a server': { kind: 'status', status: 413, message: 'Request Entity Too Large' },
}

const tooLongOutcome = {
  ending: 'failed',
  failure: { code: 'conversation_too_long' },
}

describe.each(providerConnections)('$provider', ({ provider, start, connections }) => {
  const ask = async (script: readonly Behaviour[], tools: ReturnType<typeof searchTools> | null = null) => {
    const peer = await start(script)
    peers.push(peer)
    const { model } = connect(connections(peer.url), provider)
    const { outcome, parts } = await answerTo('Hello?', { model, tools })
    return { outcome, parts, asked: peer.requests.length }
  }

  test.each(Object.keys(wire))('%s', async (who) => {
    const refusal = wire[who]
    const { outcome, parts, asked } = await ask(refusal ? [refusal] : [])
    expect(outcome).toMatchObject(tooLongOutcome)
    expect([parts, asked]).toEqual([[], 1])
  })

  test('reported within a stream', async () => {
    const { outcome, asked } = await ask([{ kind: 'error', words: [], message: messages.Anthropic }])
    expect(outcome).toMatchObject(tooLongOutcome)
    expect(asked).toBe(1)
  })

  test('caused by tool results', async () => {
    const search: Behaviour = { kind: 'tools', calls: [{ name: 'search', input: '{"query":"tea"}' }] }
    const { outcome, asked } = await ask([search, { kind: 'status', status: 400, message: messages.Gemini }], searchTools('Hello?'))
    expect(outcome).toMatchObject(tooLongOutcome)
    expect(asked).toBe(2)
  })
})

test('a stream that reports it by its code only', () => {
  expect(failureOf(new ModelStreamError({ error: { message: 'No.', code: 'context_length_exceeded' } })).code).toBe('conversation_too_long')
})

test.each([
  [429, 'Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 60000.', 'model_busy'],
  [429, 'Too many tokens, please wait before trying again.', 'model_busy'],
  [402, 'maximum context length exceeded, or not enough funds', 'model_out_of_funds'],
  [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens', 'model_error'],
  [400, 'Input tokens per minute: too many tokens', 'model_error'],
  [400, 'The image is too large.', 'model_error'],
])('a similar text has another code: %i %s', (statusCode, text, code) => {
  const error = Object.assign(new Error(text), { name: 'AI_APICallError', statusCode })
  expect(failureOf(error).code).toBe(code)
})
