// The silence limit applies to the model alone: the time that a tool takes does not end an answer.
import { type ToolSet, tool } from 'ai'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { answerTo } from '../../support/model-run.ts'
import { startGatewayPeer } from '../../support/peers/gateway.ts'
import type { Behaviour, Peer } from '../../support/peers/peer-server.ts'
import { connect, none } from '../../support/peers/provider-connections.ts'

const modelSilenceMs = 300

let peer: Peer
afterEach(() => peer.stop())

async function outcomeOf(script: readonly Behaviour[], toolMs: number) {
  peer = await startGatewayPeer(script)
  const { model } = connect({ ...none, modelSilenceMs, gateway: { apiKey: 'key', url: peer.url } }, 'gateway')
  return (await answerTo('Tea?', { model, tools: slowTool(toolMs) })).outcome
}

const slowTool = (delayMs: number): ToolSet => ({
  search: tool({
    inputSchema: z.object({ query: z.string() }),
    execute: () => new Promise<string>((resolve) => setTimeout(() => resolve('found'), delayMs)),
  }),
})

const input = '{"query":"tea"}'

test('a tool may take longer than the silence limit of the model', async () => {
  const search: Behaviour = { kind: 'tools', calls: Array(2).fill({ name: 'search', input }) }
  expect(await outcomeOf([search, { kind: 'answer', words: ['Tea ', 'is a drink.'] }], 2 * modelSilenceMs)).toEqual({ ending: 'completed' })
})

test.each<[string, Behaviour]>([
  ['before its first output', { kind: 'stall', words: [] }],
  ['after its first words', { kind: 'stall', words: ['Tea'] }],
  ['after a tool call', { kind: 'stall', words: [], parts: [{ type: 'tool-call', toolCallId: 'a', toolName: 'search', input }] }],
])('a model that stalls %s has failed', async (_when, behaviour) => {
  expect(await outcomeOf([behaviour], 0)).toMatchObject({ ending: 'failed', failure: { code: 'model_silent' } })
})
