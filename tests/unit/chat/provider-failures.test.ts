// Both connections to a provider, through the real SDK, against a failing peer: the outcome of the answer, the number of calls, and the
// timing.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Outcome, runModel } from '../../../worker/chat/model/call.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { applyChunk } from '../../../worker/contract/threads/message-stream.ts'
import { type FailureCode, type MessagePart, textOf } from '../../../worker/contract/threads/messages.ts'
import { standIns } from '../../../worker/dev/stand-ins.ts'
import type { Behaviour, Peer } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { connect, none, providerConnections } from '../../support/peers/provider-connections.ts'

const peers = peersOfTest()

type ModelResult = { readonly outcome: Outcome; readonly parts: readonly MessagePart[]; readonly peer: Peer }

async function ask(
  { provider, start, connections }: (typeof providerConnections)[number],
  script: readonly Behaviour[],
  { maxRetries = 0, modelSilenceMs = 60_000, reasons = false } = {},
): Promise<ModelResult> {
  const peer = await start(script)
  peers.push(peer)
  let parts: readonly MessagePart[] = []
  const writer = new ChunkWriter((chunk) => {
    parts = applyChunk(parts, chunk)
  }, Date.now)
  const { model } = connect({ ...connections(peer.url), modelSilenceMs }, provider, 'maker/slug', reasons ? ['reasoning'] : [])
  const outcome = await runModel(
    { model, instructions: 'Be brief.', messages: [{ role: 'user', content: 'Hello?' }], temperature: 0.8, tools: null },
    { writer, signal: new AbortController().signal, nowMs: Date.now, maxRetries },
  )
  writer.finishStep()
  return { outcome, parts, peer }
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

  test('an answer without token counts is accepted', async () => {
    expect((await ask(way, [{ kind: 'answer', words, usage: 'missing' }])).outcome).toEqual({ ending: 'completed' })
  })

  const failures: { name: string; behaviour: Behaviour; code: FailureCode; kept?: string }[] = [
    { name: 'a refused key', behaviour: { kind: 'status', status: 401 }, code: 'model_refused_key' },
    { name: 'a forbidden model', behaviour: { kind: 'status', status: 403 }, code: 'model_refused_key' },
    { name: 'no funds', behaviour: { kind: 'status', status: 402 }, code: 'model_out_of_funds' },
    {
      name: 'no quota, reported as 429',
      behaviour: { kind: 'status', status: 429, message: 'insufficient_quota' },
      code: 'model_out_of_funds',
    },
    {
      name: 'too many requests',
      behaviour: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
      code: 'model_busy',
    },
    {
      name: 'too many requests for long',
      behaviour: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
      code: 'model_busy',
    },
    { name: 'a bad request', behaviour: { kind: 'status', status: 400 }, code: 'model_error' },
    { name: 'an unknown model', behaviour: { kind: 'status', status: 404 }, code: 'model_error' },
    { name: 'a broken provider', behaviour: { kind: 'status', status: 500 }, code: 'model_error' },
    { name: 'a provider behind a broken proxy', behaviour: { kind: 'status', status: 502 }, code: 'model_unreachable' },
    { name: 'an overloaded provider', behaviour: { kind: 'status', status: 503 }, code: 'model_busy' },
    { name: 'a connection torn before any answer', behaviour: { kind: 'hang-up' }, code: 'model_unreachable' },
    { name: 'a connection torn before the first word', behaviour: { kind: 'cut', words, bytes: 0 }, code: 'model_unreachable' },
    { name: 'something unreadable', behaviour: { kind: 'malformed', words }, code: 'model_nonsense', kept: 'Hello big world' },
    ...(['line', 'event', 'packed'] as const).map((of) => ({
      name: { line: 'a line without an end', event: 'an event without an end', packed: 'a few bytes that unpack to more and more' }[of],
      behaviour: { kind: 'flood', words, of } as const,
      code: 'model_nonsense' as const,
      kept: 'Hello big world',
    })),
    {
      name: 'an error in the middle',
      behaviour: { kind: 'error', words, message: 'out of luck' },
      code: 'model_error',
      kept: 'Hello big world',
    },
    { name: 'an end without a word', behaviour: { kind: 'empty' }, code: 'model_empty' },
  ]
  test.each(failures)('$name: $code', async ({ behaviour, code, kept = '' }) => {
    const { outcome, parts, peer } = await ask(way, [behaviour])
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code } })
    expect(textOf({ parts })).toBe(kept)
    expect(peer.requests).toHaveLength(1)
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

  test.each(['0', 'soon'])('retries a 429 with Retry-After %s', async (after) => {
    const busy: Behaviour = { kind: 'status', status: 429, headers: { 'retry-after': after } }
    const { outcome, peer } = await ask(way, [busy, { kind: 'answer', words }], { maxRetries: 2 })
    expect(outcome).toEqual({ ending: 'completed' })
    expect(peer.requests).toHaveLength(2)
  })

  test('a stream without a finish event is not a complete answer', async () => {
    const { outcome, parts } = await ask(way, [{ kind: 'unfinished', words }])
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_unreachable' } })
    expect(textOf({ parts })).toBe('Hello big world')
  })

  test('a connection cut at any byte keeps the start of the answer, which is not completed', async () => {
    for (let bytes = 1; bytes < 700; bytes += 61) {
      const { outcome, parts } = await ask(way, [{ kind: 'cut', words, bytes }])
      const text = textOf({ parts })
      expect('Hello big world'.startsWith(text), `${bytes} bytes`).toBe(true)
      // If the bytes include the finish event, the answer was complete before the connection broke.
      if (outcome.ending === 'completed') expect(text).toBe('Hello big world')
    }
  })

  test('an answer whose ending arrives twice is complete, and ends once', async () => {
    const { outcome, parts } = await ask(way, [{ kind: 'duplicated', words, events: 'ending' }])
    expect(outcome).toEqual({ ending: 'completed' })
    expect(textOf({ parts })).toBe('Hello big world')
  })

  test('retries a temporary refusal', async () => {
    const script: readonly Behaviour[] = [
      { kind: 'status', status: 503, headers: { 'retry-after': '0' } },
      { kind: 'answer', words },
    ]
    const { outcome, parts, peer } = await ask(way, script, { maxRetries: 1 })
    expect(outcome).toEqual({ ending: 'completed' })
    expect(parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Hello big world' }])
    expect(peer.requests).toHaveLength(2)
  })

  test.each<[string, Behaviour, string]>([
    ['sends nothing at all', { kind: 'mute' }, ''],
    ['falls silent', { kind: 'stall', words }, 'Hello big world'],
  ])('aborts a provider that %s, and closes its connection', async (_name, behaviour, kept) => {
    const { outcome, parts, peer } = await ask(way, [behaviour], { modelSilenceMs: 1000 })
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_silent' } })
    expect(textOf({ parts })).toBe(kept)
    await peer.requests[0]?.abandoned
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

test('a provider that cannot be reached is reported as unreachable', async () => {
  for (const { provider, start, connections } of providerConnections) {
    const peer = await start([])
    await peer.stop()
    const { model } = connect(connections(peer.url), provider)
    const writer = new ChunkWriter(() => {}, Date.now)
    const host = { writer, signal: new AbortController().signal, nowMs: Date.now, maxRetries: 0 }
    expect(await runModel({ model, instructions: '', messages: [{ role: 'user', content: 'x' }], tools: null }, host)).toMatchObject({
      failure: { code: 'model_unreachable' },
    })
  }
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
