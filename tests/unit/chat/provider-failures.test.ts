// Both protocols of a provider, through the real SDK and a real connection: the call, its retries and its timing, the reasoning in an answer, and
// the last event. tests/unit/chat/faults.test.ts has the faults.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { runModel } from '../../../worker/chat/model/call.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import type { ProviderPart } from '../../../worker/chat/model/types.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { textOf } from '../../../worker/contract/threads/messages.ts'
import { standIns } from '../../../worker/dev/stand-ins.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { answeringServer } from '../../support/peers/answering-server.ts'
import type { Behaviour } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, none, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

async function ask(
  { provider, start, connections }: (typeof providerConnections)[number],
  script: readonly Behaviour[],
  { maxRetries = 0, modelSilenceMs = 60_000, reasons = false, hasTools = false } = {},
) {
  const peer = await start(script)
  peers.push(peer)
  const { model } = connect({ ...connections(peer.url), modelSilenceMs }, provider, 'maker/slug', reasons ? ['reasoning'] : [])
  const tools = hasTools ? searchTools('Hello?') : null
  return { ...(await answerTo('Hello?', { model, temperature: 0.8, tools }, { maxRetries })), peer }
}

const words = ['Hello ', 'big ', 'world']

describe.each(providerConnections)('$provider', (way) => {
  test('an answer with reasoning arrives completely, and the call has key, model, temperature and conversation', async () => {
    const { outcome, parts, peer } = await ask(way, [{ kind: 'answer', words, reasoning: ['hm ', 'ok'] }])
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm ok', state: 'done' },
      { type: 'text', text: 'Hello big world', state: 'done' },
    ])
    const [request] = peer.requests
    expect(request?.headers.authorization).toBe('Bearer the-key')
    expect(request?.body.temperature).toBe(0.8)
    expect(JSON.stringify(request?.body)).toContain('Hello?')
    expect(JSON.stringify(request?.body)).toContain('Be brief.')
    expect(request?.headers['ai-language-model-id'] ?? request?.body.model).toBe('maker/slug')
  })

  test.each([
    [429, '120', 120_000],
    [503, '3600', 3_600_000],
  ])('does not retry a %i with Retry-After %s, and names the wait', async (status, after, retryInMs) => {
    const busy: Behaviour = { kind: 'status', status, headers: { 'retry-after': after } }
    const { outcome, peer } = await ask(way, [busy, { kind: 'answer', words }], { maxRetries: 2 })
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_busy', retryInMs } })
    expect(peer.requests).toHaveLength(1)
  })

  test.each([
    [429, '0'],
    [429, 'soon'],
    [503, '0'],
  ])('retries a %i with Retry-After %s', async (status, after) => {
    const busy: Behaviour = { kind: 'status', status, headers: { 'retry-after': after } }
    const { outcome, parts, peer } = await ask(way, [busy, { kind: 'answer', words }], { maxRetries: 2 })
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Hello big world' }])
    expect(peer.requests).toHaveLength(2)
  })

  test('comments that keep the connection open are no silence', async () => {
    const script: readonly Behaviour[] = [{ kind: 'answer', words, keepAlives: { count: 15, everyMs: 100 } }]
    expect((await ask(way, script, { modelSilenceMs: 1000 })).outcome).toEqual({ ending: 'completed' })
  })

  test('a model that reasons may be silent for longer', async () => {
    const slow: Behaviour = { kind: 'answer', words, until: sleep(600) }
    expect((await ask(way, [slow], { modelSilenceMs: 300, reasons: true })).outcome).toEqual({ ending: 'completed' })
  })

  test('stopping closes the connection to the provider', async () => {
    const peer = await way.start([{ kind: 'answer', words: Array<string>(10_000).fill('word '), delayMs: 1 }])
    peers.push(peer)
    const stop = new AbortController()
    let chunks = 0
    const { promise: talking, resolve } = Promise.withResolvers<void>()
    const writer = new ChunkWriter(() => {
      chunks += 1
      if (chunks === 20) resolve()
    }, Date.now)
    const { model } = connect(way.connections(peer.url), way.provider)
    const run = runModel(
      { model, instructions: '', messages: [{ role: 'user', content: 'Hello?' }], tools: null },
      { writer, signal: stop.signal, nowMs: Date.now },
    )
    await talking
    stop.abort()
    const atStop = chunks
    await Promise.all([run, peer.requests[0]?.abandoned])
    expect(chunks).toBe(atStop)
  })
})

const calls = providerConnections.flatMap((way) => [
  { ...way, call: 'a plain call', hasTools: false },
  { ...way, call: 'a call with tools', hasTools: true },
])
describe.each(calls)('$provider, $call', ({ hasTools, ...way }) => {
  test('reasoning at the start of the text becomes reasoning, with its duration', async () => {
    const { outcome, parts } = await ask(way, [{ kind: 'answer', words: ['<thi', 'nk>hm</', 'think>', ...words] }], { hasTools })
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm', state: 'done', durationMs: expect.any(Number) },
      { type: 'text', text: 'Hello big world', state: 'done' },
    ])
  })

  test('reasoning without an end is the text of a completed answer, and stays reasoning if the answer is cut', async () => {
    const whole = await ask(way, [{ kind: 'answer', words: ['<think>', 'hm'] }], { hasTools })
    expect(whole.outcome).toEqual({ ending: 'completed' })
    expect(whole.parts).toEqual([{ type: 'step-start' }, { type: 'text', text: '<think>hm', state: 'done' }])
    const cut = await ask(way, [{ kind: 'answer', words: ['<think>', 'hm'], ends: 'length' }], { hasTools })
    expect(cut.outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_length' } })
    expect(cut.parts).toMatchObject([{ type: 'step-start' }, { type: 'reasoning', text: 'hm' }])
  })

  test('a tool call without tools is an unreadable response', async () => {
    const { outcome, parts } = await ask(way, [{ kind: 'tools', calls: [{ name: 'look', input: '{}' }] }], { hasTools })
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_nonsense' } })
    expect(textOf({ parts })).toBe('')
  })
})

test('a provider that cannot be reached is reported as unreachable', async () => {
  for (const { provider, start, connections } of providerConnections) {
    const peer = await start([])
    await peer.stop()
    const { model } = connect(connections(peer.url), provider)
    expect((await answerTo('Hello?', { model, tools: null })).outcome).toMatchObject({ failure: { code: 'model_unreachable' } })
  }
})

describe('the last event of OpenAI’s protocol', () => {
  const server = answeringServer()
  const frame = (fields: object) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })
  const events = [
    frame({ choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] }),
    frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    frame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } }),
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const [, compatible] = providerConnections

  async function partsOf(pieces: readonly string[]): Promise<readonly ProviderPart[]> {
    server.answer = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const piece of pieces) {
        response.write(piece)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const { model } = connect(compatible.connections(server.url), compatible.provider)
    const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }] })
    const parts: ProviderPart[] = []
    for await (const part of stream) parts.push(part)
    return parts
  }

  test.each([
    ['at once', ['data: [DONE]\n\n']],
    ['in pieces', ['da', 'ta: [DO', 'NE]', '\n\n']],
    ['without a space', ['data:[DONE]\n\n']],
  ])('%s ends it, and the cost of the answer is recorded', async (_name, mark) => {
    const parts = await partsOf([...events, ...mark])
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' }, usage: { outputTokens: { total: 4 } } })
  })

  test('cannot be produced by a model’s text', async () => {
    const contentFrame = frame({ choices: [{ index: 0, delta: { content: '\ndata: [DONE]\n' }, finish_reason: null }] })
    const parts = await partsOf([`data: ${JSON.stringify(contentFrame)}\n\n`, ...events, 'data: [DONE]\n\n'])
    expect(parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')).toBe('\ndata: [DONE]\nHello')
  })
})

describe('which connection reaches a model', () => {
  const compatible = { url: 'http://127.0.0.1:9/v1', apiKey: null }
  const cases: { name: string; connections: Partial<ModelConnections>; provider: string; reached: string | null }[] = [
    { name: 'the gateway', connections: { gateway: { apiKey: 'k', url: null }, compatible }, provider: 'gateway', reached: 'gateway' },
    { name: 'a compatible server in place of the gateway', connections: { compatible }, provider: 'gateway', reached: 'compatible.chat' },
    {
      name: 'OpenRouter',
      connections: { openrouter: { apiKey: 'k', url: 'https://openrouter.ai/api/v1' } },
      provider: 'openrouter',
      reached: 'openrouter.chat',
    },
    { name: 'Ollama', connections: { ollama: { url: 'http://127.0.0.1:9/v1' } }, provider: 'ollama', reached: 'ollama.chat' },
    { name: 'nothing, in development: the demo', connections: { standIns }, provider: 'gateway', reached: 'demo' },
    {
      name: 'nothing for this provider, in development: the demo',
      connections: { standIns, gateway: { apiKey: 'k', url: null } },
      provider: 'ollama',
      reached: 'demo',
    },
    { name: 'nothing, in production: nothing', connections: {}, provider: 'gateway', reached: null },
    {
      name: 'an unknown provider, in production: nothing',
      connections: { gateway: { apiKey: 'k', url: null } },
      provider: 'carrier-pigeon',
      reached: null,
    },
  ]
  test.each(cases)('$name', ({ connections, provider, reached }) => {
    const connected = connectModel({ ...none, ...connections }, { provider, model: 'slug', name: 'Name' })
    const model = connected?.model
    expect(typeof model === 'object' ? model.provider : null).toBe(reached)
    expect(connected?.demo ?? false).toBe(reached === 'demo')
  })
})
