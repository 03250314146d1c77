// The output limit of a turn is part of every request. A server of the OpenAI protocol that rejects the limit is asked again without it.
import { afterEach, describe, expect, test } from 'vitest'
import { callSettings } from '../../../worker/chat/model/call-settings.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import type { Behaviour, Peer } from '../../support/peers/peer-server.ts'
import { connect, none, providerConnections } from '../../support/peers/provider-connections.ts'

let peer: Peer
afterEach(() => peer?.stop())

const limited = callSettings({ maxOutputTokens: 4_000, options: null, temperature: null }, null)

describe.each(providerConnections)('$provider', ({ provider, start, connections }) => {
  test.each([false, true])('a request has the output limit (with tools: %j)', async (hasTools) => {
    peer = await start([{ kind: 'answer', words: ['Yes'] }])
    const { model } = connect(connections(peer.url), provider)
    const { outcome } = await answerTo('Tea?', { model, ...limited, tools: hasTools ? searchTools('Tea?') : null })
    expect(outcome).toEqual({ ending: 'completed' })
    expect(peer.requests.map(({ body }) => body.maxOutputTokens ?? body.max_tokens)).toEqual([4_000])
  })
})

describe('a server of the OpenAI protocol that rejects a request', () => {
  const rejected = (message: string, status = 400): Behaviour => ({ kind: 'status', status, message })
  async function ask(provider: 'compatible' | 'openrouter', ...script: readonly Behaviour[]) {
    peer = await startOpenAICompatiblePeer(script)
    const { model } = connect({ ...none, [provider]: { url: peer.url, apiKey: 'the-key' } }, provider)
    const { outcome } = await answerTo('Tea?', { model, ...limited, tools: null })
    return { outcome, limits: peer.requests.map(({ body }) => body.max_tokens) }
  }
  const answer: Behaviour = { kind: 'answer', words: ['Yes'] }

  test.each([
    ['OpenAI', "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", 400],
    ['vLLM', "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context length is 4096 tokens.", 400],
    ['a server with the names of Gemini', 'maxOutputTokens must be between 1 and 2048', 422],
  ])('answers without the limit that %s rejects', async (_server, message, status) => {
    const { outcome, limits } = await ask('compatible', rejected(message, status), answer)
    expect(outcome).toEqual({ ending: 'completed' })
    expect(limits).toEqual([4_000, undefined])
  })

  test('receives the later requests of the turn without the limit', async () => {
    peer = await startOpenAICompatiblePeer([
      rejected('max_tokens is not supported'),
      { kind: 'tools', calls: [{ name: 'search', input: '{"query": "tea"}' }] },
      answer,
    ])
    const { model } = connect({ ...none, compatible: { url: peer.url, apiKey: 'the-key' } }, 'compatible')
    const { outcome } = await answerTo('Tea?', { model, ...limited, tools: searchTools('Tea?') })
    expect(outcome).toEqual({ ending: 'completed' })
    expect(peer.requests.map(({ body }) => body.max_tokens)).toEqual([4_000, undefined, undefined])
  })

  test('is asked again once', async () => {
    const { outcome, limits } = await ask('openrouter', rejected('max_tokens is not supported'))
    expect(outcome).toMatchObject({ ending: 'failed', failure: { code: 'model_error' } })
    expect(limits).toEqual([4_000, undefined])
  })

  test.each([
    ['another reason', 'The model does not exist', 400],
    ['another status', 'max_tokens per minute exceeded', 403],
  ])('is not asked again for %s', async (_reason, message, status) => {
    const { outcome, limits } = await ask('compatible', rejected(message, status), answer)
    expect(outcome.ending).toBe('failed')
    expect(limits).toEqual([4_000])
  })
})
