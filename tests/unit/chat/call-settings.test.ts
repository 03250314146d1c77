// The settings sent to a provider, through the real SDK on both connections, as they appear in the request.
import { afterEach, describe, expect, test } from 'vitest'
import { runModel } from '../../../worker/chat/model/call.ts'
import { callSettings } from '../../../worker/chat/model/call-settings.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { none } from '../../support/peers/provider-connections.ts'
import type { Asked } from '../../support/peers/provider-rules.ts'

let peer: Peer
afterEach(() => peer.stop())

type Row = Parameters<typeof callSettings>[0] & { readonly model: string }

async function bodyFor(connections: ModelConnections, provider: string, row: Row, effort: string | null) {
  const connected = connectModel(connections, { provider, model: row.model, name: 'Name' })
  if (!connected) throw new Error('a configured model is connected')
  const call = { model: connected.model, instructions: '', messages: [{ role: 'user' as const, content: 'Hello?' }], tools: null }
  const host = { writer: new ChunkWriter(() => {}, Date.now), signal: new AbortController().signal, nowMs: Date.now }
  const outcome = await runModel({ ...call, ...callSettings(row, effort) }, host)
  return { outcome, body: peer.requests[0]?.body }
}

async function throughGateway(row: Row, effort: string | null) {
  peer = await startGatewayPeer([{ kind: 'answer', words: ['Yes'] }])
  const { outcome, body } = await bodyFor({ ...none, gateway: { apiKey: 'key', url: peer.url } }, 'gateway', row, effort)
  return { outcome, asked: { reasoning: body?.reasoning, temperature: body?.temperature, options: body?.providerOptions } }
}

const row = (model: string, more: Partial<Row> = {}): Row => ({ model, options: null, temperature: null, ...more }) as Row

describe('through the gateway', () => {
  const options = { anthropic: { thinking: { type: 'adaptive', display: 'summarized' } } }
  test.each<[slug: string, effort: string, options: object | undefined, asked: object | undefined]>([
    ['openai/gpt-5', 'minimal', undefined, undefined],
    ['anthropic/claude-opus-5', 'max', options, options],
    ['openai/gpt-5.6-sol', 'none', { openai: { reasoningSummary: 'auto' } }, undefined],
    ['spacexai/grok-4.5', 'high', undefined, undefined],
    ['moonshotai/kimi-k3', 'low', undefined, undefined],
  ])('%s at %s gets the settings of its row and none from its maker', async (slug, effort, options, asked) => {
    expect(await throughGateway(row(slug, options ? { options: options as never } : {}), effort)).toEqual({
      outcome: { ending: 'completed' },
      asked: { reasoning: effort, temperature: undefined, options: asked },
    })
  })

  test('a model without levels gets the settings of its row', async () => {
    expect((await throughGateway(row('moonshotai/kimi-k2', { temperature: 0.8 }), null)).asked).toEqual({ temperature: 0.8 })
    await peer.stop()
    const options = { anthropic: { thinking: { type: 'enabled', budgetTokens: 3000 } } }
    expect((await throughGateway(row('anthropic/claude-haiku-4.5', { options }), null)).asked).toEqual({ options })
  })

  test('an unknown level is not sent', async () => {
    expect((await throughGateway(row('openai/gpt-5'), 'enormous')).asked).toEqual({})
  })

  const wrong: readonly [why: string, slug: string, asked: Asked][] = [
    ['a level the model has not', 'spacexai/grok-4.5', { reasoning: 'none' }],
    ['a temperature where there is none', 'moonshotai/kimi-k2.6', { temperature: 0.8 }],
    ['an option under an unknown name', 'meta/muse-spark-1.1', { providerOptions: { meta: { reasoningEffort: 'low' } } }],
    ['an option that the provider does not have', 'alibaba/qwen3.8-max', { providerOptions: { alibaba: { reasoningEffort: 'low' } } }],
    ['a value that the option does not have', 'anthropic/claude-opus-5', { providerOptions: { anthropic: { thinking: { type: 'on' } } } }],
    ['any option of an unknown model', 'maker/slug', { reasoning: 'low' }],
  ]
  test.each(wrong)('%s fails here', async (_why, slug, asked) => {
    peer = await startGatewayPeer([{ kind: 'answer', words: ['Yes'] }])
    const connected = connectModel(
      { ...none, gateway: { apiKey: 'key', url: peer.url } },
      { provider: 'gateway', model: slug, name: 'Name' },
    )
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello?' }] }]
    await expect(connected?.model.doGenerate({ prompt, ...(asked as object) })).rejects.toThrow(slug)
  })
})

describe('through the OpenAI protocol', () => {
  test.each([
    ['max', null, 'max', undefined],
    [null, 0.8, undefined, 0.8],
  ])('%s', async (effort, temperature, sentEffort, sentTemperature) => {
    peer = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['Yes'] }])
    const { body } = await bodyFor(
      { ...none, compatible: { url: peer.url, apiKey: null } },
      'compatible',
      row('openai/slug', { temperature }),
      effort,
    )
    expect(body?.reasoning_effort).toBe(sentEffort)
    expect(body?.temperature).toBe(sentTemperature)
    expect(JSON.stringify(body)).not.toContain('reasoningSummary')
  })
})
