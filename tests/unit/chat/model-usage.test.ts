// Tokens and cost of a request, through the real SDK, in the wire format of each provider.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { runModel } from '../../../worker/chat/model/call.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import { answeredRequest, newRequest, type ReportedUsage, type RequestedModel, reportedUse } from '../../../worker/chat/model/usage.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { askSmallModel } from '../../../worker/chat/turn/small-question.ts'
import { askForTitle } from '../../../worker/chat/turn/title.ts'
import { type ModelRequest, unknownUse } from '../../../worker/contract/models/model-use.ts'
import { searchTools } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import type { Behaviour, Counts } from '../../support/peers/peer-server.ts'
import { peersOfTest } from '../../support/peers/peers-of-test.ts'
import { none } from '../../support/peers/provider-connections.ts'
import { workersAiBinding } from '../../support/peers/workers-ai.ts'

const peers = peersOfTest()
afterEach(() => void vi.unstubAllGlobals())

const prices = {
  inputMicroDollarsPerMillionTokens: 2_000_000,
  cachedInputMicroDollarsPerMillionTokens: 200_000,
  outputMicroDollarsPerMillionTokens: 10_000_000,
}

const rowOf = (provider: string): RequestedModel & { readonly name: string } => ({ model: 'maker/slug', name: 'Name', provider, ...prices })

/** The requests of one answer, as `TurnRunner` records them. */
async function requestsOf(
  connections: ModelConnections,
  row: ReturnType<typeof rowOf>,
  { hasTools = false, fallbacks = [] as readonly RequestedModel[], signal = new AbortController().signal } = {},
) {
  const connected = connectModel(connections, row)
  if (!connected) throw new Error('a configured model is connected')
  const requests: ModelRequest[] = []
  const onResponse = () => {
    const index = requests.push(newRequest(row)) - 1
    return (reported: ReportedUsage) => void requests.splice(index, 1, answeredRequest(reported, row, fallbacks))
  }
  const outcome = await runModel(
    {
      model: connected.model,
      instructions: 'Be brief.',
      messages: [{ role: 'user', content: 'Hello?' }],
      tools: hasTools ? searchTools('Hello?') : null,
    },
    { writer: new ChunkWriter(() => {}, Date.now), signal, nowMs: Date.now, maxRetries: 0, onResponse },
  )
  return {
    requests: requests.map(({ model: _model, provider: _provider, ...use }) => use),
    models: requests.map(({ model }) => model),
    outcome,
  }
}

const counts: Counts = { input: 1000, cached: 600, output: 50, reasoning: 30 }
const tokens = { inputTokens: 1000, cachedInputTokens: 600, outputTokens: 50, reasoningTokens: 30 }
const words = ['Hello']

const ways = [
  ['gateway', startGatewayPeer, (url: string): ModelConnections => ({ ...none, gateway: { apiKey: 'the-key', url } })],
  ['openrouter', startOpenAICompatiblePeer, (url: string): ModelConnections => ({ ...none, openrouter: { url, apiKey: 'the-key' } })],
  ['ollama', startOpenAICompatiblePeer, (url: string): ModelConnections => ({ ...none, ollama: { url } })],
  ['compatible', startOpenAICompatiblePeer, (url: string): ModelConnections => ({ ...none, compatible: { url, apiKey: null } })],
] as const

describe.each(ways)('%s', (provider, start, connections) => {
  const started = async (script: readonly Behaviour[]) => {
    const peer = await start(script)
    peers.push(peer)
    return peer
  }
  const asked = async (behaviours: readonly Behaviour[], options = {}) =>
    requestsOf(connections((await started(behaviours)).url), rowOf(provider), options)

  test('reports cached and reasoning tokens, and the cost by the catalogue’s prices', async () => {
    // 400 × 2 + 600 × 0.2 + 50 × 10
    expect((await asked([{ kind: 'answer', words, usage: counts }])).requests).toEqual([{ ...tokens, microDollars: 1420 }])
  })

  test('reports every step of an answer with tools', async () => {
    const search = { kind: 'tools', calls: [{ name: 'search', input: '{"query":"tea"}' }], usage: { input: 300, output: 20 } } as const
    const { requests } = await asked([search, { kind: 'answer', words, usage: counts }], { hasTools: true })
    expect(requests).toMatchObject([
      { inputTokens: 300, outputTokens: 20, microDollars: 800 },
      { ...tokens, microDollars: 1420 },
    ])
  })

  test('keeps a request whose provider sends no counts, with unknown figures', async () => {
    expect((await asked([{ kind: 'answer', words, usage: 'missing' }])).requests).toEqual([unknownUse])
  })

  test('keeps a request whose answer breaks off, with unknown figures', async () => {
    const { requests, outcome } = await asked([{ kind: 'error', words, message: 'fails on request' }])
    expect(outcome.ending).toBe('failed')
    expect(requests).toEqual([unknownUse])
  })

  test('records no request that the provider refused', async () => {
    expect((await asked([{ kind: 'status', status: 429 }])).requests).toEqual([])
  })

  test('reports the use of a title', async () => {
    const peer = await start(() => ({ kind: 'answer', words: ['Tea'], usage: counts }))
    peers.push(peer)
    const title = connectModel(connections(peer.url), rowOf(provider))?.small()
    if (!title) throw new Error('a provider has a model for titles')
    const { requests } = await askSmallModel(title, {
      waitMs: 10_000,
      ask: (model, signal) => askForTitle(model, 'Tea?', signal),
      onFailure: (error) => {
        throw error
      },
    })
    const uses = requests.map(({ model: _model, provider: _provider, ...use }) => use)
    // The gateway's model for titles costs 15 cents for a million tokens.
    expect(uses).toEqual([{ ...tokens, microDollars: provider === 'gateway' ? Math.ceil(1050 * 0.15) : 1420 }])
  })
})

describe('a cost reported by the provider', () => {
  const priced = { kind: 'answer', words, usage: { ...counts, dollars: 0.0012345 } } as const

  test.each([
    ['gateway', 1235],
    ['openrouter', 1235],
    // The currency is unknown.
    ['compatible', 1420],
  ] as const)('from %s makes %d micro-dollars', async (name, microDollars) => {
    const [, start, connections] = ways.find(([provider]) => provider === name) ?? ways[0]
    const peer = await start([priced])
    peers.push(peer)
    expect((await requestsOf(connections(peer.url), rowOf(name))).requests).toEqual([{ ...tokens, microDollars }])
  })
})

describe('a request that a fallback of the gateway may have answered', () => {
  const fallbacks = ['maker/cheaper', 'maker/cheapest'].map((model) => ({
    ...rowOf('gateway'),
    model,
    outputMicroDollarsPerMillionTokens: 1_000_000,
  }))
  const answered = async (attempts: readonly string[], dollars?: number) => {
    const usage = { ...counts, attempts, ...(dollars === undefined ? {} : { dollars }) }
    const peer = await startGatewayPeer([{ kind: 'answer', words, usage }])
    peers.push(peer)
    const { requests, models } = await requestsOf({ ...none, gateway: { apiKey: 'key', url: peer.url } }, rowOf('gateway'), { fallbacks })
    return { model: models[0], microDollars: requests[0]?.microDollars }
  }

  test.each([
    [['maker/slug'], 'maker/slug', 1420],
    [['maker/slug', 'maker/cheaper'], 'maker/cheaper', 970],
    [['maker/slug', 'maker/cheaper', 'maker/cheapest'], 'maker/cheapest', 970],
    [['maker/slug', 'maker/unknown'], 'maker/slug', 1420],
  ])('after the attempts %j names %s and costs %d micro-dollars', async (attempts, model, microDollars) => {
    expect(await answered(attempts)).toEqual({ model, microDollars })
  })

  test('costs what the gateway says', async () => {
    expect(await answered(['maker/slug', 'maker/cheaper'], 0.0005)).toEqual({ model: 'maker/cheaper', microDollars: 500 })
  })

  test.each([
    ['no routing', {}],
    ['no list of attempts', { routing: { modelAttempts: 'none' } }],
    [
      'attempts of another shape',
      { routing: { modelAttempts: [null, 'maker/cheaper', { success: 'yes', canonicalSlug: 'maker/cheaper' }] } },
    ],
    ['a success without a name', { routing: { modelAttempts: [{ canonicalSlug: 7, success: true }] } }],
    ['no success', { routing: { modelAttempts: [{ canonicalSlug: 'maker/cheaper', success: false }] } }],
  ])('names the requested model for metadata with %s', (_name, gateway) => {
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as ReportedUsage['usage']
    expect(answeredRequest({ usage, providerMetadata: { gateway } }, rowOf('gateway'), fallbacks).model).toBe('maker/slug')
  })
})

test('an attempt of another shape does not hide the one that succeeded', () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as ReportedUsage['usage']
  const cheaper: RequestedModel = { ...rowOf('gateway'), model: 'maker/cheaper' }
  const modelAttempts = [
    { success: null },
    { modelId: 'maker/cheaper', canonicalSlug: null, success: true, providerAttempts: {} },
    'unknown',
  ]
  const gateway = { routing: { modelAttempts } }
  expect(answeredRequest({ usage, providerMetadata: { gateway } }, rowOf('gateway'), [cheaper]).model).toBe('maker/cheaper')
})

test.each([
  ['anthropic/claude-opus-5', 'gateway', 2590],
  ['maker/slug', 'gateway', 2440],
  ['anthropic/claude-opus-5', 'openrouter', 2440],
])('tokens that %s at %s writes to the prompt cache cost %d micro-dollars with the rest', (model, provider, microDollars) => {
  // 100 × 2 + 600 × 0.2 + 300 × 2 × 1.25 + 152 × 10
  const inputTokens = { total: 1000, noCache: 100, cacheRead: 600, cacheWrite: 300 }
  const usage = { inputTokens, outputTokens: { total: 152, text: 152, reasoning: 0 } }
  expect(reportedUse({ usage }, { ...rowOf(provider), model })).toMatchObject({ inputTokens: 1000, cachedInputTokens: 600, microDollars })
})

test('Workers AI reports tokens with the last event', async () => {
  const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050, prompt_tokens_details: { cached_tokens: 600 } }
  const row = rowOf('workers-ai')
  const asked = (given: object | null) => requestsOf({ ...none, workersAi: workersAiBinding(words, given).binding }, row)
  expect((await asked(usage)).requests).toEqual([{ ...tokens, reasoningTokens: null, microDollars: 1420 }])
  expect((await asked(null)).requests).toEqual([unknownUse])
})

test('Mistral, which rejects the option, is not asked for token counts', async () => {
  const bodies: string[] = []
  vi.stubGlobal('fetch', async (_input: unknown, init?: RequestInit) => {
    bodies.push(String(init?.body))
    return new Response('{}', { status: 500 })
  })
  for (const url of ['https://api.mistral.ai/v1', 'https://server.example/v1'])
    await requestsOf({ ...none, compatible: { url, apiKey: null } }, rowOf('compatible'))
  expect(bodies.map((body) => body.includes('stream_options'))).toEqual([false, true])
})

test.each([
  ['negative', -1],
  ['fractional', 1.5],
  ['absurd', 1e12],
  ['no number', '12' as unknown as number],
])('a count that is %s is unknown', (_name, total) => {
  const usage = { inputTokens: { total, noCache: 0, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  expect(reportedUse({ usage }, rowOf('gateway'))).toEqual(unknownUse)
})
