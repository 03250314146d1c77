// The output limit of a turn is part of every request, except for servers that may refuse it.
import { afterEach, expect, test } from 'vitest'
import { callSettings } from '../../../worker/chat/model/call-settings.ts'
import { connectModel } from '../../../worker/chat/model/providers.ts'
import { answerTo, searchTools } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { none } from '../../support/peers/vendor-ways.ts'

let peer: Peer
afterEach(() => peer?.stop())

const row = (provider: string) => ({ provider, maxOutputTokens: 4_000, options: null, temperature: null })

test.each([false, true])('a request to the gateway has the output limit (with tools: %j)', async (hasTools) => {
  peer = await startGatewayPeer([{ kind: 'answer', words: ['Yes'] }])
  const connected = connectModel({ ...none, gateway: { apiKey: 'key', url: peer.url } }, { provider: 'gateway', model: 'm', name: 'M' })
  if (!connected) throw new Error('the peer is connected')
  const tools = hasTools ? searchTools('Tea?') : null
  const { outcome } = await answerTo('Tea?', { model: connected.model, ...callSettings(row('gateway'), null), tools })
  expect(outcome).toEqual({ ending: 'completed' })
  expect(peer.requests.map(({ body }) => body.maxOutputTokens)).toEqual([4_000])
})

test('a server of the OpenAI protocol gets no output limit', () => {
  expect(callSettings(row('compatible'), null)).not.toHaveProperty('maxOutputTokens')
  expect(callSettings(row('openrouter'), null)).toMatchObject({ maxOutputTokens: 4_000 })
})
