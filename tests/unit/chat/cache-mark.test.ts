// Cache marks in requests to Anthropic, through the real SDK and the gateway's protocol.
import { afterEach, expect, test } from 'vitest'
import { isCacheable } from '../../../worker/chat/model/call-settings.ts'
import { quoteFor } from '../../../worker/contract/models/quote.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../../support/peers/peer-server.ts'
import { connect, none } from '../../support/peers/provider-connections.ts'
import { type Asked, cacheMarks } from '../../support/peers/provider-rules.ts'

const claude = 'anthropic/claude-opus-5'

let peer: Peer
afterEach(() => peer?.stop())

async function promptsTo(slug: string, script: readonly Behaviour[], isCacheable: boolean): Promise<readonly Asked[]> {
  peer = await startGatewayPeer(script)
  const { model } = connect({ ...none, gateway: { apiKey: 'key', url: peer.url } }, 'gateway', slug)
  const { outcome } = await answerTo('How high is the tide?', { model, tools: searchTools('tides'), isCacheable })
  expect(outcome).toEqual({ ending: 'completed' })
  return peer.requests.map(({ body }) => body as Asked)
}

test('marks the last message of each step, and nothing else', async () => {
  const search: Behaviour = { kind: 'tools', calls: [{ name: 'search', input: '{"query":"tides"}' }] }
  const requests = await promptsTo(claude, [search, { kind: 'answer', words: ['High.'] }], true)
  expect(requests).toHaveLength(2)
  for (const asked of requests) {
    expect(cacheMarks(asked)).toEqual([(asked.prompt?.length ?? 0) - 1])
    expect(asked.prompt?.at(-1)?.providerOptions).toEqual({ anthropic: { cacheControl: { type: 'ephemeral' } } })
  }
})

test('marks nothing in a request without caching', async () => {
  const [asked] = await promptsTo(claude, [{ kind: 'answer', words: ['High.'] }], false)
  expect(cacheMarks(asked ?? {})).toEqual([])
})

test.each<[what: string, model: string, provider: string, isHistoryCut: boolean, hasTools: boolean, expected: boolean]>([
  ['Anthropic by the gateway', claude, 'gateway', false, false, true],
  ['Anthropic by another server', 'anthropic/claude-opus-5', 'openrouter', false, true, false],
  ['a provider that caches by itself', 'openai/gpt-5', 'gateway', false, true, false],
  ['a cut history, whose beginning changes with the next turn', claude, 'gateway', true, false, false],
  ['further steps with a cut history', claude, 'gateway', true, true, true],
])('caching is expected to pay: %s: %s', (_what, model, provider, isHistoryCut, hasTools, expected) => {
  expect(isCacheable({ model: { model, provider }, isHistoryCut }, hasTools)).toBe(expected)
})

test('a quote counts the price of cache writes', () => {
  const model = { credits: 1, inputMicroDollarsPerMillionTokens: 4_000_000, outputMicroDollarsPerMillionTokens: 0 }
  const marked = { ...model, model: claude, provider: 'gateway' }
  const expected = (priced: typeof model) => quoteFor({ model: priced, plan: 'pro', mode: 'chat', inputTokens: 10_000 }, 1_000).expected
  expect([expected(model), expected(marked)]).toEqual([40, 50])
})
