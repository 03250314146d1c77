// What a vendor is told about effort, through the real SDK on both ways, as it stands in the request.
import { afterEach, describe, expect, test } from 'vitest'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import { effortOptions } from '../../../worker/chat/models/effort-options.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/models/language-model.ts'
import { runModel } from '../../../worker/chat/run.ts'
import { later } from '../../../worker/chat/storage.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import type { Peer } from '../../support/peers/peer-server.ts'

const none: ModelConnections = {
  environment: 'production',
  gateway: null,
  openrouter: null,
  ollama: null,
  compatible: null,
  workersAi: null,
}
let peer: Peer
afterEach(() => peer.stop())

async function bodyFor(connections: ModelConnections, provider: string, slug: string, effort: string | null) {
  const connected = connectModel(connections, { provider, model: slug, name: 'Name' })
  if (!connected) throw new Error('a configured model is connected')
  const { model } = connected
  const temperature = effort === null ? 0.8 : null
  const call = { model, instructions: '', messages: [{ role: 'user' as const, content: 'Hello?' }], temperature, tools: null }
  const writer = new ChunkWriter(() => {}, Date.now)
  const host = { writer, signal: new AbortController().signal, later, nowMs: Date.now }
  await runModel({ ...call, providerOptions: effortOptions(model.provider, slug, effort) }, host)
  return peer.requests[0]?.body
}

async function throughGateway(slug: string, effort: string | null) {
  peer = await startGatewayPeer([{ kind: 'answer', words: ['Yes'] }])
  return (await bodyFor({ ...none, gateway: { apiKey: 'key', url: peer.url } }, 'gateway', slug, effort))?.providerOptions
}

describe('through the gateway', () => {
  test.each<[slug: string, effort: string, options: object]>([
    ['openai/gpt-5', 'minimal', { openai: { reasoningEffort: 'minimal', reasoningSummary: 'auto' } }],
    ['openai/gpt-5.6-sol', 'none', { openai: { reasoningEffort: 'none' } }],
    ['anthropic/claude-opus-5', 'max', { anthropic: { thinking: { type: 'adaptive' }, effort: 'max' } }],
    ['google/gemini-3.1-pro', 'low', { google: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } } }],
    ['spacexai/grok-4.5', 'high', { xai: { reasoningEffort: 'high' } }],
    ['deepseek/deepseek-v4-flash', 'max', { deepseek: { thinking: { type: 'enabled' }, reasoningEffort: 'max' } }],
    ['moonshotai/kimi-k3', 'low', { moonshotai: { reasoningEffort: 'low' } }],
  ])('%s at %s', async (slug, effort, options) => expect(await throughGateway(slug, effort)).toEqual(options))

  test('a model without levels is told nothing', async () => expect(await throughGateway('moonshotai/kimi-k2', null)).toBeUndefined())
})

describe('through the OpenAI protocol', () => {
  test.each([
    ['max', 'max'],
    [null, undefined],
  ])('%s', async (effort, said) => {
    peer = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['Yes'] }])
    const body = await bodyFor({ ...none, compatible: { url: peer.url, apiKey: null } }, 'compatible', 'maker/slug', effort)
    expect(body?.reasoning_effort).toBe(said)
    expect(body?.temperature).toBe(effort === null ? 0.8 : undefined)
  })
})
