// Attribution of requests, through the real SDK to both protocols.
import { afterEach, expect, test } from 'vitest'
import { type AttributedTurn, attribution } from '../../../worker/chat/model/middleware.ts'
import { connectModel, type ModelConnections } from '../../../worker/chat/model/providers.ts'
import { askForTitle } from '../../../worker/chat/turn/title.ts'
import { answerTo } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import { startOpenAICompatiblePeer } from '../../support/peers/openai-compatible.ts'
import type { Peer } from '../../support/peers/peer-server.ts'
import { none } from '../../support/peers/provider-connections.ts'

const byAda: AttributedTurn = { userId: 'ada', plan: 'pro', mode: 'chat' }
const options = { anthropic: { thinking: { type: 'adaptive' } } }

let peer: Peer
afterEach(() => peer.stop())

/** The provider options of the request for the answer and of the request for the title. */
async function optionsOf(connections: ModelConnections, attributed: AttributedTurn, secret = 'secret'): Promise<readonly unknown[]> {
  const row = { provider: 'gateway', model: 'anthropic/claude-opus-5', name: 'Name' }
  const connected = connectModel(connections, row, new Map(), attribution(secret, attributed))
  if (!connected) throw new Error('a configured model is connected')
  const { outcome } = await answerTo('Hello?', { model: connected.model, providerOptions: options, tools: null })
  expect(outcome).toEqual({ ending: 'completed' })
  await askForTitle(connected.small().model, 'Hello?', new AbortController().signal)
  return peer.requests.map(({ body }) => body.providerOptions)
}

async function gatewayOptionsOf(attributed: AttributedTurn, secret?: string) {
  peer = await startGatewayPeer([{ kind: 'answer', words: ['Yes'] }])
  const given = await optionsOf({ ...none, gateway: { apiKey: 'key', url: peer.url } }, attributed, secret)
  await peer.stop()
  return given as readonly { readonly gateway: { readonly user: string } }[]
}

test('requests for an answer and its title name the user, the plan and the mode, in addition to the row’s options', async () => {
  const gateway = { user: expect.stringMatching(/^[0-9a-f]{32}$/), tags: ['plan:pro', 'mode:chat'] }
  expect(await gatewayOptionsOf(byAda)).toEqual([{ ...options, gateway }, { gateway }])
})

test('the name of a user is constant, and differs for other users and deployments', async () => {
  const [inChat, inSearch, ofGrace, elsewhere] = [
    await gatewayOptionsOf(byAda),
    await gatewayOptionsOf({ ...byAda, mode: 'search' }),
    await gatewayOptionsOf({ ...byAda, userId: 'grace' }),
    await gatewayOptionsOf(byAda, 'another secret'),
  ].map(([answer]) => answer?.gateway.user)
  expect(inSearch).toBe(inChat)
  expect(new Set([inChat, ofGrace, elsewhere]).size).toBe(3)
})

test('a server of the OpenAI protocol configured instead of the gateway receives no attribution', async () => {
  peer = await startOpenAICompatiblePeer([{ kind: 'answer', words: ['Yes'] }])
  await optionsOf({ ...none, compatible: { url: peer.url, apiKey: null } }, byAda)
  expect(peer.requests).toHaveLength(2)
  expect(JSON.stringify(peer.requests.map(({ body }) => body))).not.toMatch(/plan:|mode:/)
})
